/* Runs in a copy of each page during the check, and reports the page's defects to the page that frames it (around.js). */
(() => {
    const wrong = new Set();
    const say = text => wrong.add(text);

    const name = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : e.classList.length ? '.' + e.classList[0] : '');

    /* Nothing may be wider than the window, except inside an element that scrolls. */
    function overflow() {
        const root = document.documentElement, more = root.scrollWidth - root.clientWidth;
        if (more <= 0) return;
        const scrolls = e => e && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
        const wide = [...document.body.querySelectorAll('*')].find(
            e => e.getBoundingClientRect().right > root.clientWidth + .5 && !scrolls(e.parentElement));
        say(`${more} pixels wider than the window: ${wide ? name(wide) : '?'}`);
    }

    function images() {
        for (const image of document.images) {
            if (!image.complete || !image.naturalWidth) say(`no image ${image.getAttribute('src')}`);
            if (!(image.getAttribute('alt') || '').trim()) say(`an image without alt: ${image.getAttribute('src')}`);
        }
    }

    function network() {
        for (const {name} of performance.getEntriesByType('resource'))
            if (!name.startsWith('file:') && !name.startsWith('data:')) say(`comes from the network: ${name}`);
        for (const e of document.querySelectorAll('script[src], link[href], img[src], iframe[src]'))
            if (/^(https?:)?\/\//.test(e.getAttribute('src') || e.getAttribute('href'))) say(`comes from the network: ${name(e)}`);
    }

    function fonts() {
        for (const face of document.fonts)
            if (face.status === 'error') say(`no font ${face.family}`);
    }

    /* --- contrast, as WCAG computes it: 4.5, or 3 for large letters ------------------------------------- */

    const parse = color => {
        const n = color.match(/[\d.]+/g).map(Number);
        return {rgb: color.startsWith('color(') ? n.slice(0, 3).map(c => 255 * c) : n.slice(0, 3), a: n.length > 3 ? n[3] : 1};
    };
    const over = (top, below) => top.rgb.map((c, i) => c * top.a + below[i] * (1 - top.a));
    const luminance = rgb => {
        const [r, g, b] = rgb.map(c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const ratio = (a, b) => {
        const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
        return (high + .05) / (low + .05);
    };
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const canvas = dark && getComputedStyle(document.documentElement).colorScheme.includes('dark') ? [18, 18, 18] : [255, 255, 255];
    const ground = e => {
        if (!e) return canvas;
        const color = parse(getComputedStyle(e).backgroundColor);
        return color.a === 1 ? color.rgb : over(color, ground(e.parentElement));
    };
    const hidden = e => e && (getComputedStyle(e).opacity === '0' || hidden(e.parentElement));

    function compare(e, style) {
        const below = ground(e), size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        const has = ratio(over(parse(style.color), below), below);
        if (has < (large ? 3 : 4.5)) say(`contrast of ${name(e)} is ${has.toFixed(1)}`);
    }

    function contrast() {
        for (const e of document.body.querySelectorAll('*')) {
            const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
            if (own && e.tagName !== 'SCRIPT' && !e.closest('script') && !hidden(e)) compare(e, getComputedStyle(e));
            for (const part of ['::before', '::after']) {
                const style = getComputedStyle(e, part);
                if (!['none', 'normal', '""'].includes(style.content) && style.visibility === 'visible' && !hidden(e)) compare(e, style);
            }
        }
    }

    function twice(ids) {
        for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) say(`duplicate id "${id}"`);
    }

    onload = async () => {
        await document.fonts.ready;
        const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
        const links = [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'));
        for (const check of [overflow, images, network, fonts, contrast]) check();
        twice(ids);
        if (!document.body.innerText.trim()) say('empty');
        parent.postMessage({page: location.pathname.split('/').pop(), width: innerWidth, dark, ids, links, wrong: [...wrong]}, '*');
    };
})();
