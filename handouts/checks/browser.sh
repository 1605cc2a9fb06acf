#!/usr/bin/env bash
# Opens all pages of a site in headless Chromium, as wide as a phone and a desktop, in light and dark:
#
#   handouts/checks/browser.sh build/handouts
#
# Reports each defect in one line: links and anchors that lead nowhere, pages wider than the window, images that are
# missing or have no alt, weak contrast, duplicate ids, resources from the network, and messages of the console.
# Exit code: 0 no defects, 1 defects, 2 the pages could not be opened.
site=$(realpath -e "$1") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Works on a copy of the site, because each page gets a probe.
cp -rL "$site" "$work/site" && cd "$work/site" || exit 2
pages=(*.html)
[ -e "${pages[0]}" ] || { echo "no pages in $site"; exit 2; }
cp "$here/probe.js" probe.js
for page in "${pages[@]}"; do
    echo '<script src="probe.js"></script>' >>"$page"
done
{
    printf '<!doctype html><title>t</title><body><pre id="said"></pre><script>const PAGES = ['
    printf '"%s",' "${pages[@]}"
    printf '];\n'
    cat "$here/around.js"
    printf '</script>\n'
} >around-all.html

look() {
    HOME=$work timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --allow-file-access-from-files --user-data-dir="$work/profile" --enable-logging=stderr \
        --virtual-time-budget=60000 "$@" --dump-dom "file://$work/site/around-all.html" 2>"$work/log" >"$work/dom"
    sed -n 's/^\(<.*>\)\?SAID //p' "$work/dom"
    sed -n 's/^.*CONSOLE[^]]*\] *\(.*\)$/the console says: \1/p' "$work/log" | sed "s,file://$work/site/,,g"
}

found=$(
    look
    look --blink-settings=preferredColorScheme=0
)
opened=$(grep -c "^opened $((2 * ${#pages[@]})) of " <<<"$found")
found=$(grep -v '^opened ' <<<"$found" | sort -u)
[ "$opened" = 2 ] || { printf '%s\n' "$found" 'not all pages could be opened'; tail -n 5 "$work/log"; exit 2; }
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
