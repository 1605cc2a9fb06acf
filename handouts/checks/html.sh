#!/usr/bin/env bash
# Reports invalid HTML in the pages of a site, and a site larger than 5 MB.
#
#   handouts/checks/html.sh build/handouts
#
# Exit code: 0 no defects, 1 defects.
cd "$1" || exit 2
found=$(
    for page in *.html; do
        tidy -quiet -errors --show-info no --drop-empty-elements no "$page" 2>&1 | sed "s/^line \([0-9]*\) column \([0-9]*\) - /$page:\1:\2: /"
    done
    bytes=$(find . -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
    [ "$bytes" -lt 5000000 ] || echo "the site has $bytes bytes; the limit is 5000000"
)
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
