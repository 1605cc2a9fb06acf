/* Opens each page of a site in two frames, one as wide as a phone and one as wide as a desktop. Collects the defects
 * that the probes in the frames report (probe.js), and links that lead nowhere. browser.sh sets PAGES. */
const widths = [360, 1280], said = [], told = {};
let waiting = PAGES.length * widths.length;

function check_links() {
    const phone = Object.values(told).filter(t => t.width === widths[0]);
    const ids = Object.fromEntries(phone.map(t => [t.page, new Set(t.ids)]));
    for (const {page, links} of phone)
        for (const link of new Set(links)) {
            if (/^(https:|data:)/.test(link)) continue;
            const [to, id] = link.split('#'), target = to || page;
            if (!ids[target]) said.push(`${page}: a link to ${to}, which does not exist`);
            else if (id && !ids[target].has(decodeURIComponent(id))) said.push(`${page}: a link to ${link}, which is no id there`);
        }
}

function finish() {
    check_links();
    said.push(`opened ${Object.keys(told).length} of ${PAGES.length * widths.length}`);
    document.getElementById('said').textContent = said.sort().map(line => `SAID ${line}\n`).join('');
}

onmessage = ({data}) => {
    told[data.page + ' ' + data.width] = data;
    for (const text of data.wrong) said.push(`${data.page}, ${data.width} wide${data.dark ? ', dark' : ''}: ${text}`);
    if (--waiting === 0) finish();
};

for (const page of PAGES)
    for (const width of widths) {
        const frame = document.createElement('iframe');
        Object.assign(frame, {src: page, width, height: 900});
        frame.style.border = 0;
        document.body.append(frame);
    }
