// Names of memory and registers, and the panels that show a state. Texts reach the page only as text
// nodes, never as markup.
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

// The colours of canvases. They are read once for each colour scheme, because reading a style makes the
// browser compute all styles.
let colours = null;
function readColours() {
    const style = getComputedStyle(document.documentElement), dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const of = name => style.getPropertyValue(name).trim();
    const warps = Array.from({length: WARP}, (_, w) => `hsl(${w * 137.5 % 360} 55% ${dark ? 38 : 75}%)`);
    colours = {ink: of("--ink"), line: of("--line"), mark: of("--bad"), lit: `rgb(${of("--heat")})`, warps};
}

// "0-3, 7": the lanes of a mask.
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
const countOf = mask => { let n = 0; for (let m = mask; m; m &= m - 1) n++; return n; };

// --- names and values ----------------------------------------------------------------------------------------

class Names {
    constructor(recording, sources) {
        this.r = recording;
        this.sources = sources;
        this.scratch = new DataView(new ArrayBuffer(8));
        this.findFloats();
        this.shared = recording.meta.shared.map(v => ({...v, name: v.name || "shared", element: 4, float: false}));
        this.blocks = recording.meta.memory.map(b => ({...b, element: 4, float: false, low: Infinity, high: 0}));
        this.nameArguments();
        this.readAccesses();
    }

    // The registers that instructions use as floats. nvcc gives them the same type as integers.
    findFloats() {
        const byName = new Map(this.r.registers.map(r => [`${r.fn} ${r.name}`, r]));
        for (const r of this.r.registers) r.float = r.type === "f32" || r.type === "f64";
        for (const code of this.r.code) {
            const [, mnemonic, operands] = /^(?:@\S+ )?(\S+) ?(.*)$/.exec(code.text) || [null, "", ""];
            const types = mnemonic.split(".").filter(t => /^[fsub](8|16|32|64)$/.test(t));
            if (types.length === 0 || /^(ld|st|mov|selp)\b/.test(mnemonic) && types[0][0] !== "f") continue;
            const names = operands.match(/%[A-Za-z_$0-9]+/g) || [];
            names.forEach((name, i) => {
                const type = types[Math.min(i, types.length - 1)], register = byName.get(`${code.fn} ${name}`);
                if (register && (type === "f32" && register.bytes === 4 || type === "f64" && register.bytes === 8) &&
                    !operands.includes(`[${name}`)) register.float = true;
            });
        }
        // copies, loads and stores pass the property on
        for (let round = 0; round < 3; round++)
            for (const code of this.r.code) {
                if (code.op !== OP.copy || typeof code.source[0] !== "number") continue;
                const to = this.r.registers[code.dest[0]], from = this.r.registers[code.source[0]];
                if (to.bytes === from.bytes) to.float = from.float = to.float || from.float;
            }
    }

    isFloatAccess(code) {
        const index = code.memory && code.memory.kind === "l" ? code.dest[0] : code.source[0];
        return typeof index === "number" && this.r.registers[index].float;
    }

    withoutComments(text) {
        const [first, ...others] = text.replace(/\/\/.*/g, "").split("/*");
        return first + others.map(part => part.includes("*/") ? part.slice(part.indexOf("*/") + 2) : "").join(" ");
    }

    // The names of a list of parameters. Commas between < and > do not end a parameter.
    parameters(list) {
        let plain = list;
        for (let before = ""; before !== plain;) { before = plain; plain = plain.replace(/<[^<>]*>/g, " "); }
        return plain.split(",").map(p => (/([A-Za-z_]\w*)\s*(\[\w*\]\s*)?$/.exec(p) || [])[1]);
    }

    // Names allocations after the kernel's parameters, as the source calls them.
    nameArguments() {
        const r = this.r, kernel = r.meta.kernel.replace(/\(.*$/s, "").replace(/^.*[ :]/, "").replace(/<.*$/s, "");
        const escaped = kernel.replace(/[^A-Za-z0-9_]/g, "");
        let parameters = [];
        for (const source of this.sources) {
            const text = source && this.withoutComments(source.text);
            const found = text && new RegExp(`\\b${escaped}\\s{0,99}\\(([^){]{0,2000})\\)\\s{0,99}\\{`).exec(text);
            if (found) parameters = this.parameters(found[1]);
        }
        r.meta.arguments.forEach((addr, i) => {
            const block = this.arrayAt(false, addr);
            if (!parameters[i] || !block || block.argument) return;
            block.argument = parameters[i];
            block.argumentAt = addr;
        });
    }

    // Finds the element sizes of arrays, and which part of each allocation the block uses.
    readAccesses() {
        const r = this.r, a = r.accesses, seen = new Set();
        for (let step = 0; step < r.steps; step++) {
            for (let i = r.firstAccess[step]; i < r.firstAccess[step + 1]; i++) {
                const code = r.code[r.pcOf[step]], space = a.space.data[i];
                if (space !== SPACE.shared && space !== SPACE.global) continue;
                const lead = 31 - Math.clz32(a.mask.data[i] & -a.mask.data[i]);
                const addr = a.addr.data[i * WARP + lead], key = r.pcOf[step] * 8 + space;
                if (seen.has(key)) continue;
                seen.add(key);
                const array = this.arrayAt(space === SPACE.shared, addr);
                if (!array || !code.memory) continue;
                array.element = code.memory.bytes || array.element;
                array.signed = array.signed || code.memory.signed === 1;
                array.float = array.float || this.isFloatAccess(code);
            }
        }
        for (let i = 0; i < r.addresses.length; i++) {
            const addr = r.addresses.data[i], block = this.arrayAt(false, addr);
            if (!block) continue;
            block.low = Math.min(block.low, addr);
            block.high = Math.max(block.high, addr + 4);
        }
    }

    arrayAt(shared, addr) {
        return (shared ? this.shared : this.blocks).find(v => addr >= v.at && addr < v.at + v.bytes);
    }

    // The address at which the array's indices begin.
    startOf(array) { return array.argument ? array.argumentAt : array.at; }

    // "sums[3]" or "data[17]"; for an allocation without a name, "reduce.cu:113[17]".
    word(shared, addr) {
        const array = this.arrayAt(shared, addr);
        if (!array) return `${shared ? "shared " : ""}0x${addr.toString(16)}`;
        const offset = addr - this.startOf(array);
        const name = array.argument || array.name || `0x${array.at.toString(16)}`;
        return offset % array.element ? `${name} + ${offset} bytes` : `${name}[${offset / array.element}]`;
    }

    // The element at ADDR after STEP, as text. "unset": nobody has written this shared memory yet.
    elementAt(shared, addr, step) {
        const r = this.r, array = this.arrayAt(shared, addr), bytes = array ? array.element : 4, words = [];
        for (let at = 4 * Math.floor(addr / 4); at < addr + bytes; at += 4) words.push(r.wordId(shared, at, false));
        if (words[0] === NONE) return "unknown";
        if (shared && words.every(id => id === NONE || r.changeAt(id, step) === NONE)) return "unset";
        const [low, high, ...others] = words.map(id => id === NONE ? 0 : r.valueAt(id, step));
        if (others.length) return "0x" + [low, high, ...others].reverse().map(w => w.toString(16).padStart(8, "0")).join("");
        const part = bytes < 4 ? low >>> 8 * (addr % 4) & (1 << 8 * bytes) - 1 : low;
        const value = array && array.signed && bytes < 4 ? part << 32 - 8 * bytes >> 32 - 8 * bytes : part;
        return this.number(value, high || 0, bytes, array ? array.float : false, false);
    }

    // "data[4] = 7", or "data[4..7] = 7, 8, 9, 9" for the elements in BYTES bytes at ADDR.
    elements(shared, addr, bytes, step) {
        const array = this.arrayAt(shared, addr), size = array ? array.element : 4;
        const from = array ? addr - (addr - this.startOf(array)) % size : addr, count = Math.max(1, Math.floor((addr + bytes - from) / size));
        const values = Array.from({length: count}, (_, i) => this.elementAt(shared, from + i * size, step));
        const last = /\[(\d+)\]$/.exec(this.word(shared, from + (count - 1) * size));
        return `${count > 1 && last ? this.word(shared, from).replace(/\]$/, `..${last[1]}]`) : this.word(shared, from)} = ${values.join(", ")}`;
    }

    // A value as text.
    number(low, high, bytes, float, hex) {
        if (hex) return bytes === 8 ? `0x${high.toString(16)}${low.toString(16).padStart(8, "0")}` : `0x${low.toString(16)}`;
        this.scratch.setUint32(0, low, true);
        this.scratch.setUint32(4, high, true);
        if (float) return bytes === 8 ? this.float(this.scratch.getFloat64(0, true), 17) : this.float(this.scratch.getFloat32(0, true), 7);
        if (bytes < 4) return String(low);
        if (bytes === 4) return String(low | 0);
        return high > 0xff && high < 0xffffff00 ? `0x${high.toString(16)}${low.toString(16).padStart(8, "0")}`
            : this.scratch.getBigInt64(0, true).toString();
    }

    float(value, digits) {
        const short = Number(value.toPrecision(digits));
        if (Object.is(value, -0)) return "-0";
        return Math.abs(short) >= 1e9 && Number.isFinite(short) ? short.toExponential() : String(short);
    }

    // What REGISTER of WARP holds in LANE; "" if it is not known.
    register(s, warp, register, lane, hex) {
        const r = this.r, at = warp * r.warpWords + register.at;
        if (!(s.known[warp * r.registers.length + register.index] >>> lane & 1)) return "";
        if (register.bytes === 0) return s.words[at] >>> lane & 1 ? "true" : "false";
        if (register.bytes === 16)
            return "0x" + [3, 2, 1, 0].map(k => s.words[at + k * WARP + lane].toString(16).padStart(8, "0")).join("");
        return this.number(s.words[at + lane], register.bytes === 8 ? s.words[at + WARP + lane] : 0, register.bytes,
            register.float, hex);
    }
}

// --- warps ---------------------------------------------------------------------------------------------------

const LANE_CLASS = ["lane ready", "lane wait", "lane side", "lane side", "lane side"];
const STANDING_TEXT = ["", "waits at the barrier of", "waits for lanes at", "waits for lanes at", "waits for the other side, before"];

class WarpPanel {
    constructor(recording, choose) {
        this.r = recording;
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

    // The line that a group shows: that of the barrier if it waits there.
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
            for (let l = 0; l < WARP; l++) {
                const name = l < threads ? classes[l] : "lane gone";
                if (shown[l] === name) continue;
                cells[l].className = shown[l] = name;
            }
            setClass(row, w === warp ? "warp here" : "warp");
            setText(where, groups.length ? this.describe(groups, threads) : begun ? "has ended" : "has not started");
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

    // All lanes' values in few words: one number if they are equal, else the first lanes'.
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

    // The instruction at which the lane stands.
    pcOf(s, warp, lane) {
        const group = s.groups[warp].find(g => g.lanes >>> lane & 1);
        return group ? group.pc : NONE;
    }

    // The variables that the lane has at PC, with their places. An inner variable hides an outer one.
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

    // Element I of a variable in local memory.
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
        // It was not written yet, or it is not used any more, and another register has its place.
        if (!(s.known[warp * r.registers.length + where] >>> lane & 1)) return "unknown";
        const high = register.bytes === 8 ? s.words[at + WARP] : 0;
        return this.pointer(v, s.words[at] + 4294967296 * high) || this.number(v, s.words[at], high, hex);
    }

    // "&data[3]" if the value is the address of an element.
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

// --- local memory --------------------------------------------------------------------------------------------

const MOST_LOCAL = 256; // words of a lane that are shown

class LocalPanel {
    constructor(recording, names) {
        this.r = recording;
        this.names = names;
        this.words = new Map(); // for each thread, the numbers of its words in order of their addresses
        this.floats = new Set(); // the offsets of words that instructions use as floats
        recording.addresses.data.subarray(0, recording.addresses.length).forEach((addr, i) => {
            if (addr < LOCAL) return;
            const thread = Math.floor((addr - LOCAL) / LOCAL_ROOM);
            if (!this.words.has(thread)) this.words.set(thread, []);
            this.words.get(thread).push({id: recording.sharedWords + i, at: addr % LOCAL_ROOM});
        });
        for (const list of this.words.values()) list.sort((a, b) => a.at - b.at);
        this.findFloats();
        document.getElementById("local-part").hidden = this.words.size === 0;
    }

    findFloats() {
        const r = this.r, a = r.accesses;
        for (let step = 0; step < r.steps; step++)
            for (let i = r.firstAccess[step]; i < r.firstAccess[step + 1]; i++) {
                const code = r.code[r.pcOf[step]];
                if (a.space.data[i] !== SPACE.local || !code.memory || code.memory.bytes !== 4 || !this.names.isFloatAccess(code)) continue;
                for (let l = 0; l < WARP; l++) if (a.mask.data[i] >>> l & 1) this.floats.add(a.addr.data[i * WARP + l]);
            }
    }

    // Whether this step accesses the word at AT of the lane.
    touches(step, warp, lane, at) {
        const r = this.r, a = r.accesses;
        for (let i = step < 0 ? 0 : r.firstAccess[step]; step >= 0 && r.warpOf[step] === warp && i < r.firstAccess[step + 1]; i++) {
            const from = a.addr.data[i * WARP + lane];
            if (a.space.data[i] === SPACE.local && a.mask.data[i] >>> lane & 1 && at + 4 > from && at < from + a.bytes.data[i]) return true;
        }
        return false;
    }

    show(step, warp, lane, hex) {
        if (this.words.size === 0) return;
        const r = this.r, list = (this.words.get(warp * WARP + lane) || []).slice(0, MOST_LOCAL);
        setText(document.getElementById("local-lane"), `${lane} of warp ${warp}`);
        document.getElementById("local").replaceChildren(...list.map(({id, at}) => {
            const known = r.changeAt(id, step) !== NONE;
            const value = known ? this.names.number(r.valueAt(id, step), 0, 4, this.floats.has(at), hex) : "unset";
            return element("span", this.touches(step, warp, lane, at) ? "new" : "", `byte ${at}: ${value}`);
        }));
    }
}

// --- shared memory -------------------------------------------------------------------------------------------

const CELL_W = 15, CELL_H = 12, MOST_ROWS = 1024;

class SharedPanel {
    constructor(recording, names) {
        this.r = recording;
        this.names = names;
        this.canvas = document.getElementById("shared");
        this.rows = Math.min(Math.ceil(this.usedWords() / WARP), MOST_ROWS);
        this.chosen = 0;
        document.getElementById("shared-part").hidden = recording.sharedWords === 0;
        this.canvas.width = CELL_W * WARP + 40;
        this.canvas.height = CELL_H * (this.rows + 1);
        this.canvas.addEventListener("click", e => {
            const box = this.canvas.getBoundingClientRect();
            const column = Math.floor((e.clientX - box.left - 40) / CELL_W), row = Math.floor((e.clientY - box.top) / CELL_H) - 1;
            if (column >= 0 && column < WARP && row >= 0) this.choose(row * WARP + column);
        });
        this.canvas.addEventListener("keydown", e => {
            const by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -WARP, ArrowDown: WARP}[e.key];
            if (!by) return;
            e.preventDefault();
            e.stopPropagation();
            this.choose(this.chosen + by);
        });
    }

    // The number of words up to the last one that the block writes.
    usedWords() {
        const start = this.r.history.start;
        let used = this.r.sharedWords;
        while (used > WARP && start[used] === start[used - 1]) used--;
        return used;
    }

    choose(word) {
        this.chosen = Math.max(0, Math.min(this.r.sharedWords - 1, word));
        this.draw();
    }

    // The shared words that this step touches: a map from the word to "r" or "w".
    touched(step) {
        const r = this.r, a = r.accesses, map = new Map();
        for (let i = step < 0 ? 0 : r.firstAccess[step]; step >= 0 && i < r.firstAccess[step + 1]; i++) {
            if (a.space.data[i] !== SPACE.shared) continue;
            for (let l = 0; l < WARP; l++)
                if (a.mask.data[i] >>> l & 1)
                    for (let b = 0; b < a.bytes.data[i]; b += 4)
                        map.set(Math.floor((a.addr.data[i * WARP + l] + b) / 4), a.kind.data[i] === KIND.load ? "r" : "w");
        }
        return map;
    }

    show(step) {
        this.step = step;
        if (this.r.sharedWords) this.draw();
    }

    // What a cell shows, as one number: who wrote the word last, how this step touches it, whether it is chosen.
    lookOf(id, how) {
        const writer = this.r.writingWarp(id, this.step);
        return 8 * (writer + 1) + (how ? 2 : 0) + (id === this.chosen ? 1 : 0);
    }

    drawCell(c, id, look) {
        const x = 40 + id % WARP * CELL_W, y = (Math.floor(id / WARP) + 1) * CELL_H, writer = (look >> 3) - 1;
        c.clearRect(x, y, CELL_W, CELL_H);
        if (writer !== NONE) {
            c.fillStyle = writer === OPENED ? "gray" : colours.warps[writer];
            c.fillRect(x, y, CELL_W - 1, CELL_H - 1);
        } else {
            c.strokeStyle = colours.line;
            c.strokeRect(x + .5, y + .5, CELL_W - 2, CELL_H - 2);
        }
        if (!(look & 3)) return;
        c.strokeStyle = look & 2 ? colours.mark : colours.ink;
        c.lineWidth = look & 2 ? 2 : 1;
        c.strokeRect(x + 1.5, y + 1.5, CELL_W - 4, CELL_H - 4);
        c.lineWidth = 1;
    }

    drawNumbers(c) {
        c.clearRect(0, 0, this.canvas.width, this.canvas.height);
        c.font = "9px sans-serif";
        c.fillStyle = colours.ink;
        for (let b = 0; b < WARP; b += 4) c.fillText(String(b), 40 + b * CELL_W + 2, 9);
        for (let y = 0; y < this.rows; y += 2) c.fillText(String(y * WARP), 2, (y + 2) * CELL_H - 3);
    }

    // Draws the cells that have changed since the last time, or all of them in other colours.
    draw() {
        const c = this.canvas.getContext("2d"), touched = this.touched(this.step);
        if (this.drawnIn !== colours) {
            this.drawNumbers(c);
            this.looks = new Int32Array(Math.min(this.r.sharedWords, this.rows * WARP)).fill(NONE);
            this.drawnIn = colours;
        }
        for (let id = 0; id < this.looks.length; id++) {
            const look = this.lookOf(id, touched.get(id));
            if (look === this.looks[id]) continue;
            this.looks[id] = look;
            this.drawCell(c, id, look);
        }
        this.describe(touched);
    }

    describe(touched) {
        const r = this.r, id = this.chosen, addr = 4 * id, writer = r.writerAt(id, this.step);
        const by = !writer ? "nobody has written it yet" : writer.warp === OPENED ? "written at a barrier"
            : `last written in step ${writer.step} by warp ${writer.warp}${writer.lane >= 0 ? `, lane ${writer.lane}` : ""}, line ${r.code[r.pcOf[writer.step]].line}`;
        setText(document.getElementById("word"), `${this.names.elements(true, addr, 4, this.step)}; bank ${id % WARP}; ${by}`);
        this.canvas.setAttribute("aria-label", `Shared memory by banks; this step touches ${plural(touched.size, "word")}`);
    }
}

// --- global memory -------------------------------------------------------------------------------------------

class GlobalPanel {
    constructor(recording, names) {
        this.r = recording;
        this.names = names;
        const box = document.getElementById("global");
        this.strips = names.blocks.filter(b => b.high > 0).slice(0, 12).map(block => {
            const strip = element("div", "strip"), text = element("div"), canvas = element("canvas");
            canvas.setAttribute("role", "img");
            strip.append(text, canvas);
            box.append(strip);
            return {block, text, canvas};
        });
        document.getElementById("global-part").hidden = this.strips.length === 0;
        this.measure();
    }

    // Makes the canvases as wide as they are shown.
    measure() {
        const widths = this.strips.map(({canvas}) => Math.max(100, Math.round(canvas.getBoundingClientRect().width)));
        this.strips.forEach(({canvas}, i) => { canvas.width = widths[i]; canvas.height = 24; });
    }

    // The sectors of the block's used part that this step touches: from the low end, in sectors.
    sectors(step, block) {
        const r = this.r, a = r.accesses, set = new Set(), from = Math.floor(block.low / 32);
        for (let i = step < 0 ? 0 : r.firstAccess[step]; step >= 0 && i < r.firstAccess[step + 1]; i++) {
            if (a.space.data[i] !== SPACE.global) continue;
            for (let l = 0; l < WARP; l++) {
                const addr = a.addr.data[i * WARP + l];
                if (!(a.mask.data[i] >>> l & 1) || addr < block.at || addr >= block.at + block.bytes) continue;
                for (let b = addr; b < addr + a.bytes.data[i]; b += 4) set.add(Math.floor(b / 32) - from);
            }
        }
        return set;
    }

    show(step) {
        for (const {block, text, canvas} of this.strips) {
            const count = Math.floor((block.high - 1) / 32) - Math.floor(block.low / 32) + 1, lit = this.sectors(step, block);
            const width = canvas.width, c = canvas.getContext("2d");
            c.clearRect(0, 0, width, 24);
            const each = width / count;
            if (each >= 4) {
                c.strokeStyle = colours.line;
                for (let i = 0; i <= count; i++) c.strokeRect(i * each + .5, 0, 0, i % 4 ? 8 : 24);
            }
            c.fillStyle = colours.lit;
            for (const i of lit) c.fillRect(i * each, 2, Math.max(1.5, each - 1), 20);
            const from = this.names.word(false, block.low), to = this.names.word(false, block.high - block.element);
            setText(text, `${from} to ${to}: ${plural(count, "sector")}${lit.size ? `, this step touches ${lit.size}` : ""}`);
            canvas.setAttribute("aria-label", text.textContent);
        }
    }
}

// --- the access of this step ---------------------------------------------------------------------------------

const SPACE_TEXT = ["global memory", "shared memory", "local memory", "constant memory", "another block's shared memory", "memory"];
const KIND_TEXT = ["reads", "writes", "updates", "updates"];

class AccessPanel {
    constructor(recording, names) {
        this.r = recording;
        this.names = names;
        this.box = document.getElementById("access");
    }

    cost(i) {
        const a = this.r.accesses, cost = a.cost.data[i], ideal = a.ideal.data[i];
        if (!cost) return "";
        const unit = a.space.data[i] === SPACE.shared ? "pass through the banks" : "sector";
        const units = n => a.space.data[i] === SPACE.shared && n !== 1 ? `${n} passes through the banks` : plural(n, unit);
        return cost > ideal ? `: ${units(cost)}, where ${ideal} would do` : `: ${units(cost)}`;
    }

    // The lanes that access each address, as [address, lanes].
    byAddress(i) {
        const a = this.r.accesses, map = new Map();
        for (let l = 0; l < WARP; l++) {
            if (!(a.mask.data[i] >>> l & 1)) continue;
            const addr = a.addr.data[i * WARP + l];
            if (!map.has(addr)) map.set(addr, []);
            map.get(addr).push(l);
        }
        return [...map];
    }

    show(step) {
        const r = this.r, a = r.accesses, parts = [];
        for (let i = step < 0 ? 0 : r.firstAccess[step]; step >= 0 && i < r.firstAccess[step + 1]; i++) {
            const kind = a.kind.data[i], shared = a.space.data[i] === SPACE.shared, groups = this.byAddress(i);
            parts.push(element("p", "small", `${plural(countOf(a.mask.data[i]), "lane")} ${countOf(a.mask.data[i]) === 1 ? KIND_TEXT[kind] : KIND_TEXT[kind].replace(/s$/, "")} ${SPACE_TEXT[a.space.data[i]]}${this.cost(i)}`));
            if (kind >= KIND.atomic) {
                for (const [addr, lanes] of groups.slice(0, 8)) {
                    const queue = element("div", "queue", `${this.names.word(shared, addr)}: `);
                    for (const l of lanes) queue.append(element("span", "", String(l)));
                    if (lanes.length > 1) queue.append(` ${lanes.length} lanes queue`);
                    parts.push(queue);
                }
                continue;
            }
            if (a.space.data[i] > SPACE.shared) continue;
            const grid = element("div", "pairs"), failed = new Set(r.faults.filter(f => f.step === step).map(f => f.lane));
            for (const [addr, lanes] of groups.slice(0, WARP)) {
                const text = lanes.some(l => failed.has(l)) ? `${this.names.word(shared, addr)}: fault` : this.names.elements(shared, addr, a.bytes.data[i], step);
                grid.append(element("span", "", `${lanes.length > 1 ? `${lanes.length} lanes` : lanes[0]}: ${text}`));
            }
            parts.push(grid);
        }
        if (parts.length === 0) parts.push(element("p", "dim small", "This step accesses no memory."));
        this.box.replaceChildren(...parts);
    }
}
