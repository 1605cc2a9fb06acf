#!/usr/bin/env bash
# Tells what is no valid HTML in the pages of a site, and if the site is larger than 5 MB.
#
#   handouts/checks/html.sh build/handouts
#
# No line, exit code 0: all is well. 1: not.
cd "$1" || exit 2
found=$(
    for page in *.html; do
        tidy -quiet -errors --show-info no --drop-empty-elements no "$page" 2>&1 | sed "s/^line \([0-9]*\) column \([0-9]*\) - /$page:\1:\2: /"
    done
    bytes=$(find . -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
    [ "$bytes" -lt 5000000 ] || echo "the site has $bytes bytes, and 5000000 are the stop"
)
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
