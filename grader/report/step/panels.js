// Shows warps, registers and variables. Texts from the recording become text nodes, never markup.
"use strict";

const element = (name, className, text) => {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
};
const setText = (e, text) => { if (e.textContent !== text) e.textContent = text; };
const setClass = (e, name) => { if (e.className !== name) e.className = name; };
const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;

// The colours that canvases use. They are read from the style sheet once for each colour scheme,
// because getComputedStyle() makes the browser compute all styles.
let colours = null;
function readColours() {
    const style = getComputedStyle(document.documentElement), dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const of = name => style.getPropertyValue(name).trim();
    const warps = Array.from({length: WARP}, (_, w) => `hsl(${w * 137.5 % 360} 55% ${dark ? 38 : 75}%)`);
    colours = {ink: of("--ink"), line: of("--line"), mark: of("--bad"), lit: `rgb(${of("--heat")})`, warps};
}

// Returns the lanes of a mask as text, such as "0-3, 7".
function lanesText(mask) {
    const parts = [];
    for (let l = 0; l < WARP; l++) {
        if (!(mask >>> l & 1)) continue;
        let end = l;
        while (end + 1 < WARP && mask >>> (end + 1) & 1) end++;
        parts.push(end > l ? `${l}-${end}` : `${l}`);
        l = end;
    }
    return parts.join(", ");
}
// Returns the lanes of a mask with a noun: "lane 3" or "lanes 0-3, 7".
const lanesOf = mask => `${countOf(mask) === 1 ? "lane" : "lanes"} ${lanesText(mask)}`;
const countOf = mask => { let n = 0; for (let m = mask; m; m &= m - 1) n++; return n; };

// --- warps ---------------------------------------------------------------------------------------------------

const LANE_CLASS = ["lane ready", "lane wait", "lane side", "lane side", "lane side"];
const STANDING_TEXT = ["", "waits at the barrier of", "waits for lanes at", "waits for lanes at", "waits for the other branch, before"];

class WarpPanel {
    constructor(recording, faults, choose) {
        this.r = recording;
        this.faults = faults;
        this.rows = [];
        const box = document.getElementById("warps");
        for (let w = 0; w < recording.warps; w++) {
            const row = element("div", "warp"), lanes = element("span", "lanes"), cells = [];
            for (let l = 0; l < WARP; l++) {
                cells.push(element("i", "lane"));
                lanes.append(cells[l]);
            }
            lanes.setAttribute("aria-hidden", "true");
            const where = element("span", "where");
            row.append(element("span", "name", `warp ${w}`), lanes, where);
            row.addEventListener("click", () => choose(w));
            box.append(row);
            this.rows.push({row, cells, shown: [], where});
        }
    }

    // Returns the line at which a group stands. A group that waits at a barrier stands at the barrier's line.
    lineOf(group) {
        const waits = group.standing === STANDING.barrier || group.standing === STANDING.warpSync;
        const code = this.r.code[Math.min(waits && group.pc > 0 ? group.pc - 1 : group.pc, this.r.code.length - 1)];
        return code.line;
    }

    describe(groups, threads) {
        if (groups.length === 0) return "";
        return groups.map(g => {
            const all = groups.length === 1 && countOf(g.lanes) === threads;
            const text = STANDING_TEXT[g.standing];
            return `${all ? "" : `lanes ${lanesText(g.lanes)}: `}${text ? text + " " : ""}line ${this.lineOf(g)}`;
        }).join("; ");
    }

    show(s, step, warp) {
        const r = this.r, ran = step < 0 ? OPENED : r.warpOf[step];
        for (let w = 0; w < r.warps; w++) {
            const {row, cells, shown, where} = this.rows[w], groups = s.groups[w];
            const threads = Math.min(WARP, r.meta.threads - w * WARP), begun = s.pc[w] !== 0xffffffff;
            const classes = new Array(WARP).fill(begun ? "lane gone" : "lane");
            for (const g of groups)
                for (let l = 0; l < WARP; l++) if (g.lanes >>> l & 1) classes[l] = LANE_CLASS[g.standing];
            if (w === ran) for (let l = 0; l < WARP; l++) if (r.activeOf[step] >>> l & 1) classes[l] = "lane on";
            const races = this.faults.lanesOfRaces(step, w), unset = w === ran ? this.faults.unsetLanes(step) : 0, failed = this.faults.failedLanes(step, w);
            for (let l = 0; l < WARP; l++) {
                if (races >>> l & 1) classes[l] += " race";
                if (unset >>> l & 1) classes[l] += " unset";
                if (failed >>> l & 1) classes[l] += " race";
                const name = l < threads ? classes[l] : "lane gone";
                if (shown[l] === name) continue;
                cells[l].className = shown[l] = name;
            }
            setClass(row, w === warp ? "warp here" : "warp");
            const what = `${races ? `${lanesOf(races)} race; ` : ""}${unset ? `${lanesOf(unset)} read uninitialised memory; ` : ""}${failed ? `fault in ${lanesOf(failed)}; ` : ""}`;
            setText(where, what + (groups.length ? this.describe(groups, threads) : begun ? "has ended" : "has not started"));
            where.title = where.textContent;
        }
    }
}

// --- registers -----------------------------------------------------------------------------------------------

class RegisterPanel {
    constructor(recording, names) {
        this.r = recording;
        this.names = names;
        this.body = document.querySelector("#registers tbody");
        this.rows = recording.registers.map(register => {
            const row = element("tr"), name = element("td"), one = element("td"), all = element("td"), turn = element("button", "", register.name);
            name.append(turn);
            row.append(name, one, all);
            turn.setAttribute("aria-expanded", "false");
            row.addEventListener("click", () => {
                register.open = !register.open;
                turn.setAttribute("aria-expanded", String(register.open));
                this.again();
            });
            row.hidden = true;
            this.body.append(row);
            return {row, one, all};
        });
    }

    // Summarises the values of all lanes: "the same" if they are equal, and otherwise the first few.
    summary(s, warp, register, mask, hex) {
        const values = [];
        for (let l = 0; l < WARP; l++) if (mask >>> l & 1) values.push(this.names.register(s, warp, register, l, hex));
        if (values.every(v => v === values[0])) return mask >>> 0 === 0xffffffff ? "the same" : `the same in lanes ${lanesText(mask)}`;
        return values.length > 5 ? `${values.slice(0, 4).join(", ")}, … ${values[values.length - 1]}` : values.join(", ");
    }

    again() { this.show(...this.last); }

    show(s, step, warp, lane, hex) {
        this.last = [s, step, warp, lane, hex];
        const r = this.r, base = warp * r.registers.length;
        const written = step >= 0 && r.warpOf[step] === warp ? r.code[r.pcOf[step]].dest : [];
        for (const register of r.registers) {
            const mask = s.known[base + register.index], {row, one, all} = this.rows[register.index];
            row.hidden = mask === 0;
            if (mask === 0) continue;
            setClass(row, written.includes(register.index) ? "new" : "");
            setText(one, this.names.register(s, warp, register, lane, hex) || "unset");
            if (!register.open) {
                setText(all, this.summary(s, warp, register, mask, hex));
                continue;
            }
            const grid = element("div", "pairs");
            for (let l = 0; l < WARP; l++) grid.append(element("span", "", `${l}: ${this.names.register(s, warp, register, l, hex) || "–"}`));
            all.replaceChildren(grid);
        }
    }
}

// --- variables -----------------------------------------------------------------------------------------------

class VariablePanel {
    constructor(recording, names) {
        this.r = recording;
        this.names = names;
        this.variables = recording.meta.variables;
        this.body = document.querySelector("#variables tbody");
        document.getElementById("variable-part").hidden = this.variables.length === 0;
    }

    // Returns the instruction at which the lane stands, or NONE if it has ended.
    pcOf(s, warp, lane) {
        const group = s.groups[warp].find(g => g.lanes >>> lane & 1);
        return group ? group.pc : NONE;
    }

    // Returns the variables that exist at PC, with their places. An inner variable hides an outer one.
    at(pc) {
        const found = new Map();
        for (const v of this.variables) {
            const place = v.places.find(([first, last]) => pc >= first && pc <= last);
            if (place && this.r.code[pc].fn === v.fn) found.set(v.name, {v, kind: place[2], where: place[3]});
        }
        return [...found.values()];
    }

    number(v, low, high, hex) {
        if (v.bytes < 4) low = v.type === "int" ? low << 32 - 8 * v.bytes >> 32 - 8 * v.bytes : low & (1 << 8 * v.bytes) - 1;
        if (hex || v.bytes === 8 || v.type === "float") return this.names.number(low >>> 0, high, v.bytes, v.type === "float", hex);
        return String(v.type === "int" ? low | 0 : low >>> 0);
    }

    // Returns element I of a variable in local memory as text.
    local(v, where, i, step, warp, lane, hex) {
        const addr = LOCAL + (warp * WARP + lane) * LOCAL_ROOM + where + i * v.bytes;
        const words = [addr, addr + 4].map(a => this.r.wordId(false, a, false));
        if (words[0] === NONE || this.r.changeAt(words[0], step) === NONE) return "unset";
        const [low, high] = words.map(id => id === NONE ? 0 : this.r.valueAt(id, step));
        return this.number(v, low >>> 8 * (addr % 4), high, hex);
    }

    text({v, kind, where}, s, step, warp, lane, hex) {
        const r = this.r;
        if (kind === "l") {
            const all = [...Array(v.count).keys()].map(i => this.local(v, where, i, step, warp, lane, hex));
            return v.count > 1 ? `{${all.join(", ")}}` : all[0];
        }
        if (kind === "p") {
            const value = r.meta.arguments[where];
            return value === null || value === undefined ? "unknown" : this.pointer(v, value) || this.number(v, value >>> 0, Math.floor(value / 4294967296), hex);
        }
        const register = r.registers[where], at = warp * r.warpWords + register.at + lane;
        // the register is not written yet, or another register has taken its place
        if (!(s.known[warp * r.registers.length + where] >>> lane & 1)) return "unknown";
        const high = register.bytes === 8 ? s.words[at + WARP] : 0;
        return this.pointer(v, s.words[at] + 4294967296 * high) || this.number(v, s.words[at], high, hex);
    }

    // Returns "&data[3]" if the value is the address of an element, and otherwise "".
    pointer(v, value) {
        return v.bytes === 8 && v.type === "unsigned" && this.names.arrayAt(false, value) ? `&${this.names.word(false, value)}` : "";
    }

    show(s, step, warp, lane, hex) {
        if (this.variables.length === 0) return;
        const pc = this.pcOf(s, warp, lane);
        setText(document.getElementById("variable-lane"), `${lane} of warp ${warp}`);
        this.body.replaceChildren(...(pc === NONE ? [] : this.at(pc)).map(place => {
            const row = element("tr");
            row.append(element("td", "", place.v.name), element("td", "", this.text(place, s, step, warp, lane, hex)));
            return row;
        }));
    }
}
