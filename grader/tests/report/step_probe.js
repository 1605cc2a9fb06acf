// Runs in a copy of a page that steps through a launch. Compares the page's state with the machine's, which the
// emulator has written in `truth` (gpu/observe/step_dump.c), after steps in random order.
"use strict";

function compareStep(r, want, wrong) {
    const step = want.step, a = r.accesses, first = r.firstAccess[step];
    const have = want.opened ? r.warpOf[step] === OPENED
        : r.warpOf[step] === want.warp && r.pcOf[step] === want.pc && r.activeOf[step] === want.active;
    if (!have || r.firstAccess[step + 1] - first !== want.accesses.length) wrong.push(`step ${step}: another instruction`);
    want.accesses.forEach((access, k) => {
        const addr = [...Array(32).keys()].filter(l => access.mask >>> l & 1).map(l => a.addr.data[(first + k) * 32 + l]);
        const same = ["space", "kind", "bytes", "mask", "cost", "ideal"].every(name => a[name].data[first + k] === access[name]);
        if (!same || String(addr) !== String(access.addr)) wrong.push(`step ${step}: another access`);
    });
}

function compareGroups(s, want, wrong) {
    want.groups.forEach((groups, w) => {
        const have = JSON.stringify(s.groups[w].map(g => [g.lanes, g.pc, g.standing]));
        if (have !== JSON.stringify(groups)) wrong.push(`step ${want.step}: lanes of warp ${w}: ${have}`);
    });
}

// Compares the registers that the page knows. Returns the number of lanes compared.
function compareRegisters(r, s, want, wrong) {
    let count = 0;
    for (const [warp, index, lanes, ...words] of want.registers) {
        const register = r.registers[index], at = warp * r.warpWords + register.at;
        const known = s.known[warp * r.registers.length + index] & lanes;
        if (register.bytes === 0) {
            if ((s.words[at] ^ words[0]) & known) wrong.push(`step ${want.step}: ${register.name} of warp ${warp}`);
            continue;
        }
        for (let k = 0; k < (register.bytes <= 4 ? 1 : register.bytes / 4); k++)
            for (let l = 0; l < 32; l++) {
                if (!(known >>> l & 1)) continue;
                count++;
                if (s.words[at + 32 * k + l] !== words[32 * k + l])
                    wrong.push(`step ${want.step}: ${register.name} of warp ${warp}, lane ${l}`);
            }
    }
    return count;
}

function compareMemory(r, want, wrong) {
    want.shared.forEach((word, id) => {
        if (r.valueAt(id, want.step) !== word) wrong.push(`step ${want.step}: shared word ${id}`);
    });
    for (const [addr, word] of want.global) {
        const id = r.wordId(false, addr, false);
        if (id < 0 || r.valueAt(id, want.step) !== word) wrong.push(`step ${want.step}: global word ${addr}`);
    }
    for (const [lane, addr, word] of want.local) {
        const id = r.wordId(false, LOCAL + (want.warp * 32 + lane) * LOCAL_ROOM + addr, false);
        if (id < 0 || r.valueAt(id, want.step) !== word) wrong.push(`step ${want.step}: local word ${addr} of lane ${lane}`);
    }
}

async function probe() {
    while (!document.body.dataset.ready) await new Promise(done => setTimeout(done, 20));
    const view = lanewise, r = view.r, wrong = [];
    let registers = 0, shared = 0;
    for (const want of truth) {
        view.go(want.step);
        if (!document.getElementById("now").textContent.startsWith(`Step ${want.step} of `)) wrong.push(`step ${want.step}: text`);
        compareStep(r, want, wrong);
        compareGroups(r.state, want, wrong);
        registers += compareRegisters(r, r.state, want, wrong);
        compareMemory(r, want, wrong);
        shared += want.shared.length;
    }
    const lanes = Math.min(32, r.meta.threads);
    const enough = truth.length > 0 && registers >= 20 / 32 * lanes * truth.length ? "" : `, only ${registers} registers after ${truth.length} steps`;
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    return `${page}: ${wrong.length} differences${enough}, overflow ${wide}${wrong.length ? `: ${wrong.slice(0, 3).join("; ")}` : ""}`;
}

probe().catch(e => `${page}: ${e.stack}`).then(text => parent.postMessage(text, "*"));
