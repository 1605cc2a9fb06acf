#!/usr/bin/env bash
# Tells which words of these pages are neither in the dictionary (British English) nor in handouts/words.txt, and
# which words are not ours ("*CTA" in words.txt):
#
#   handouts/checks/spelling.sh handouts/*.md
#
# No line, exit code 0: all is well. 1: not; each word with page and line.
here=$(cd "$(dirname "$0")" && pwd)
words=$(mktemp) || exit 2
trap 'rm -f "$words"' EXIT
sed '/^#/d' "$here/../words.txt" >"$words" || exit 2
echo handout | hunspell -d en_GB -p "$words" -l >/dev/null || exit 2
found=$(
    for page; do
        pandoc -f markdown -t plain --wrap=none --lua-filter "$here/words.lua" "$page" | sed "s/’/'/g; s/'s\\b//g" |
            hunspell -i utf-8 -d en_GB -p "$words" -l | grep -v '[0-9]' | sort -u |
            while read -r word; do
                line=$(grep -n -m 1 -w -F -e "$word" "$page" | cut -d : -f 1)
                echo "$page:${line:-1}: \"$word\" is no word of ours: a slip, or one for handouts/words.txt?"
            done
    done
)
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
