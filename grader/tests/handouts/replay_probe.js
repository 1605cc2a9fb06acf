// Runs in a copy of a page with replays. Compares what each replay shows at each moment with the machine's states,
// which the emulator has written in `truth` (gpu/observe/step_dump.c); `code` has the instructions. `stills` is the
// HTML of the replays before player.js ran.
"use strict";

const lanesOf = mask => [...Array(32).keys()].filter(l => mask >>> l & 1);
// Whether TEXT is the word BITS: as an integer, or as a float that is rounded to the digits shown.
const word = (bits, text) => {
    const float = new Float32Array(new Uint32Array([bits]).buffer)[0], [mantissa, exponent] = text.split("e");
    const digit = 10 ** (Number(exponent || 0) - (mantissa.split(".")[1] || "").length);
    return text === String(bits | 0) || text !== "" && Math.abs(Number(text) - float) <= .501 * digit;
};

class Check {
    constructor(run, name) {
        this.run = run;
        this.states = truth[name];
        this.code = code[name].code;
        this.first = Number((run.querySelector("pre.code") || run).textContent.match(/^ *\d+|/)[0]);
        this.wrong = [];
        this.written = new Map(); // what the steps so far have stored and loaded: "space address" to the word
        this.rows = [...run.querySelectorAll("[data-at]")].map(row => ({space: row.classList.contains("shared") ? 1 : 0,
            at: Number(row.dataset.at), cells: [...row.querySelectorAll("i")]}));
    }

    expect(good, step, text) { if (!good) this.wrong.push(`step ${step}: ${text}`); }

    lanes({step, warp, active, groups}) {
        const rows = [...this.run.querySelectorAll(".lanes .cells")].map(row => [...row.children]);
        rows.forEach((cells, w) => {
            const on = w === warp ? lanesOf(active) : [];
            cells.forEach((cell, l) => this.expect((cell.className === "on") === on.includes(l), step, `lane ${l} of warp ${w} runs`));
            for (const [lanes, , standing] of groups[w])
                for (const l of lanesOf(lanes))
                    if (!on.includes(l)) this.expect(cells[l].className === ["ready", "wait", "side", "side", "side"][standing], step, `warp ${w}, lane ${l}: ${cells[l].className}`);
        });
    }

    remember({accesses, shared, global}) {
        const words = new Map(global);
        for (const {space, kind, bytes, addr} of accesses)
            for (const first of addr)
                for (let at = first; at < first + bytes; at += 4)
                    if (space === 0 || kind !== 0) this.written.set(`${space} ${at}`, space === 0 ? words.get(at) : shared[at / 4]);
    }

    memory({step, accesses}) {
        const touched = new Set(accesses.flatMap(a => a.addr.map(at => `${a.space} ${at}`)));
        const sectors = new Set(accesses.flatMap(a => a.space === 0 ? a.addr.map(at => Math.floor(at / 32)) : []));
        for (const {space, at, cells} of this.rows)
            cells.forEach((cell, i) => {
                const size = 128 / cells.length, place = at + i * size, bits = this.written.get(`${space} ${place}`);
                this.expect(/reads|writes/.test(cell.className) === touched.delete(`${space} ${place}`), step, `touches ${place}`);
                this.expect(cell.classList.contains("lit") === (space === 0 && sectors.has(Math.floor(place / 32))), step, `sector of ${place}`);
                this.expect(bits === undefined ? cell.textContent === "" : word(bits, cell.textContent), step, `${place} holds ${cell.textContent}, not ${bits}`);
            });
        this.expect(touched.size === 0, step, `${touched.size} words are not shown`);
    }

    source({step, pc}) {
        const here = this.run.querySelectorAll("pre .here");
        if (this.first && pc !== undefined) this.expect(here.length === 1 && parseInt(here[0].textContent) === this.code[pc][2], step, "line");
    }

    all() {
        const {player} = this.run, steps = new Map(player.moments.map((moment, i) => [moment.step, i]));
        for (const state of this.states) {
            this.remember(state);
            if (!steps.has(state.step)) {
                this.expect(!state.opened && !state.accesses.some(a => a.space < 2), state.step, "is left out");
                continue;
            }
            player.show(steps.get(state.step));
            for (const check of ["lanes", "memory", "source"]) this[check](state);
        }
        return this.wrong;
    }
}

async function controls(run) {
    const {player} = run, [begin, back, play, next] = run.querySelectorAll("button"), slider = run.querySelector("input"), at = [];
    const note = () => at.push(player.at);
    for (const button of [begin, next, next, back]) { button.click(); note(); }
    slider.value = 4;
    slider.dispatchEvent(new Event("input"));
    note();
    play.click();
    await new Promise(done => setTimeout(done, 1300));
    note();
    play.click();
    await new Promise(done => setTimeout(done, 1300));
    note();
    const spoken = run.querySelector(".now").getAttribute("role") === "status" && slider.getAttribute("aria-valuetext").startsWith("Moment 7 of ");
    return String(at) === "0,1,2,1,4,6,6" && spoken ? "" : `; the controls lead to ${at}`;
}

onload = async () => {
    const said = [], plain = html => html.replaceAll(' class=""', "");
    for (const [i, run] of [...document.querySelectorAll(".replay .run")].entries()) {
        const name = run.getAttribute("aria-label").split(" ").pop();
        const still = plain(run.querySelector(".grid").innerHTML) === plain(stills[i]) ? "" : "; player.js shows another moment than the page";
        const wrong = new Check(run, name).all();
        said.push(`${name}: ${wrong.length} differences${still}${await controls(run)}${wrong.length ? `: ${wrong.slice(0, 3).join("; ")}` : ""}`);
    }
    parent.postMessage(said.join("\n"), "*");
};
