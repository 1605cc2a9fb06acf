#!/usr/bin/env bash
# Copies the pages with replays from the site of BUILD to this folder. Each gets replay_probe.js and what that needs:
#
#   replay_pages.sh BUILD
#
# Prints the pages' names, each quoted and with a comma.
cp "$1/handouts/player.js" "$(dirname "$0")/replay_probe.js" . || exit 1
{
    echo 'const truth = {}, code = {};'
    for states in "$1"/replays/*.states; do
        name=$(basename "$states" .states)
        printf 'truth.%s = [' "$name"; sed 's/$/,/' "$states"; echo '];'
        sed -n "s,^.* id=\"meta\">\(.*\)</script>$,code.$name = \1;,p" "${states%.states}.html"
    done
} >truth.js
for page in $(grep -l 'class="replay"' "$1"/handouts/*.html); do
    {
        cat "$page"
        echo '<script>const stills = [...document.querySelectorAll(".replay .grid")].map(g => g.innerHTML)</script>'
        echo '<script src="truth.js"></script><script src="replay_probe.js"></script>'
    } >"$(basename "$page")"
    printf "'%s'," "$(basename "$page")"
done
