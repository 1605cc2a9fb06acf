#!/usr/bin/env bash
# Reports words of these pages that are neither in the dictionary (British English) nor in handouts/words.txt, and
# words that the pages must not use ("*CTA" in words.txt):
#
#   handouts/checks/spelling.sh handouts/*.md
#
# Each word comes with page and line. Exit code: 0 no such words, 1 some.
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
                echo "$page:${line:-1}: \"$word\" is misspelt, banned, or missing in handouts/words.txt"
            done
    done
)
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
