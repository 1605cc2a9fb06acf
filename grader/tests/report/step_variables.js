// Runs in a copy of the page of the kernel k() in test_step_page.c, which was built with nvcc -G. Compares the
// variables that the page shows for some lanes with what the source computes.
"use strict";

const wrong = [];
function expect(what, have, want) { if (have !== want) wrong.push(`${what}: ${have}, not ${want}`); }

// The variables that the page shows for a lane of the step's warp: their texts by their names.
function shown(view, step, lane) {
    document.getElementById("lane").value = lane;
    view.go(step);
    return Object.fromEntries([...document.querySelectorAll("#variables tbody tr")].map(row => [...row.cells].map(cell => cell.textContent)));
}

function sumOf(me, n) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += me - (i + me) % 3 + 2 * i;
    return sum;
}

async function probe() {
    while (!document.body.dataset.ready) await new Promise(done => setTimeout(done, 20));
    const view = lanewise, r = view.r, loops = [];
    expect("before the first line", shown(view, 0, 0).me, undefined);
    for (let step = 0; step < r.steps; step++) {
        if (r.warpOf[step] === OPENED) continue;
        const code = r.code[r.pcOf[step]], warp = r.warpOf[step];
        if (code.memory && code.memory.kind === "s" && code.text.startsWith("st.u32") || /^st\.global/.test(code.text))
            for (const lane of [0, 5, 31]) {
                const me = 32 * warp + lane, have = shown(view, step, lane);
                const want = {p: "&p[0]", n: "4", me: String(me), local: `{${me}, ${me - 1}, ${me - 2}}`, sum: String(sumOf(me, 4))};
                for (const name of Object.keys(want)) expect(`${name} of thread ${me}`, have[name], want[name]);
            }
        if (/^div/.test(code.text)) expect("half", shown(view, step, 9).half, String((32 * warp + 9) / 2));
        if (warp === 1 && /^add/.test(code.text) && "i" in shown(view, step, 7) && "sum" in shown(view, step, 7)) loops.push(shown(view, step, 7).i);
        if (code.fn === 1 && /^mul/.test(code.text)) expect("doubled", Number(shown(view, step, 3).doubled), 2 * Number(shown(view, step, 3).value));
    }
    expect("i of the second loop", [...new Set(loops)].filter(i => i !== "unknown").join(" "), "0 1 2 3 4");
    return `${page}: ${wrong.length} failed${wrong.length ? `: ${wrong.slice(0, 4).join("; ")}` : ""}`;
}

probe().catch(e => `${page}: ${e.stack}`).then(text => parent.postMessage(text, "*"));
