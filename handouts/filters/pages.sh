#!/usr/bin/env bash
# Lists pages by their front matter, in reading order, one a line with tabs between: name, order, title, lab,
# minutes, summary, part ("-" where a page has none). Fields are simple lines, "title: From one thread to a grid".
# Pages of one part, such as "Reference", are a section of their own in the list of pages.
#
#   handouts/filters/pages.sh handouts/*.md
for page; do
    awk -v page="$(basename "$page" .md)" '
        NR == 1 && $0 != "---" { exit }
        NR > 1 && ($0 == "---" || $0 == "...") { exit }
        match($0, /^[a-z]+: */) {
            key = substr($0, 1, index($0, ":") - 1)
            value = substr($0, RLENGTH + 1)
            if (value ~ /^".*"$/) value = substr(value, 2, length(value) - 2)
            field[key] = value
        }
        function get(key) { return field[key] == "" ? "-" : field[key] }
        END {
            if (!("title" in field) || field["order"] !~ /^[0-9]+$/) {
                print FILENAME ":1: error: the front matter needs a title: and an order: (a number)" >"/dev/stderr"
                exit 2
            }
            printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", page, get("order"), get("title"), get("lab"), get("minutes"),
                get("summary"), get("part")
        }' "$page" || exit 2
done | sort -t "$(printf '\t')" -k 2n -k 1,1
exit "${PIPESTATUS[0]}"
