// Shows memory, and the accesses of a step.
"use strict";

// --- local memory --------------------------------------------------------------------------------------------

const MOST_LOCAL = 256; // largest number of words of a lane that are shown

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

    // Returns whether this step accesses the lane's word at offset AT.
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

const FAULT_TEXT = {race: "race", unset: "uninitialised read"};

// Counts the words with faults. LIST has entries of Faults.wordsAt().
function faultsText(list) {
    const races = list.filter(([, fault]) => fault === "race").length, unset = list.length - races;
    return `${races ? `, ${plural(races, "word")} in a race` : ""}${unset ? `, ${plural(unset, "word")} that nothing has written` : ""}`;
}

const CELL_W = 15, CELL_H = 12, MOST_ROWS = 1024;

class SharedPanel {
    constructor(recording, names, faults) {
        this.r = recording;
        this.faults = faults;
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

    // Returns the number of words up to the last word that the block writes.
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

    // Returns a map from each shared word that this step touches to "r" or "w".
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

    // Encodes in one number everything that a cell shows: the warp that wrote the word last, the fault of this step,
    // whether this step touches the word, and whether the word is chosen.
    lookOf(id, how, fault) {
        const writer = this.r.writingWarp(id, this.step);
        return 16 * (writer + 1) + (fault === "race" ? 8 : fault ? 4 : 0) + (how ? 2 : 0) + (id === this.chosen ? 1 : 0);
    }

    drawCell(c, id, look) {
        const x = 40 + id % WARP * CELL_W, y = (Math.floor(id / WARP) + 1) * CELL_H, writer = (look >> 4) - 1;
        c.clearRect(x, y, CELL_W, CELL_H);
        if (writer !== NONE) {
            c.fillStyle = writer === OPENED ? "gray" : colours.warps[writer];
            c.fillRect(x, y, CELL_W - 1, CELL_H - 1);
        } else {
            c.strokeStyle = colours.line;
            c.strokeRect(x + .5, y + .5, CELL_W - 2, CELL_H - 2);
        }
        if (look & 12) {
            c.strokeStyle = colours.ink;
            c.beginPath();
            c.moveTo(x + 3, y + CELL_H - 4);
            c.lineTo(x + CELL_W - 4, y + 3);
            if (look & 8) {
                c.moveTo(x + 3, y + 3);
                c.lineTo(x + CELL_W - 4, y + CELL_H - 4);
            }
            c.stroke();
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

    // Draws the cells that have changed since the last step, or all cells if the colours have changed.
    draw() {
        const c = this.canvas.getContext("2d"), touched = this.touched(this.step), faults = this.faults.wordsAt(this.step);
        if (this.drawnIn !== colours) {
            this.drawNumbers(c);
            this.looks = new Int32Array(Math.min(this.r.sharedWords, this.rows * WARP)).fill(NONE);
            this.drawnIn = colours;
        }
        for (let id = 0; id < this.looks.length; id++) {
            const look = this.lookOf(id, touched.get(id), faults.get(id));
            if (look === this.looks[id]) continue;
            this.looks[id] = look;
            this.drawCell(c, id, look);
        }
        this.describe(touched, faults);
    }

    describe(touched, faults) {
        const r = this.r, id = this.chosen, addr = 4 * id, writer = r.writerAt(id, this.step);
        const by = !writer ? "no thread has written it yet" : writer.warp === OPENED ? "written at a barrier"
            : `last written in step ${writer.step} by warp ${writer.warp}${writer.lane >= 0 ? `, lane ${writer.lane}` : ""}, line ${r.code[r.pcOf[writer.step]].line}`;
        setText(document.getElementById("word"), `${this.names.elements(true, addr, 4, this.step)}; bank ${id % WARP}; ${by}${faults.has(id) ? `; ${FAULT_TEXT[faults.get(id)]} in this step` : ""}`);
        this.canvas.setAttribute("aria-label", `Shared memory by banks; this step touches ${plural(touched.size, "word")}${faultsText([...faults].filter(([word]) => word < r.sharedWords))}`);
    }
}

// --- global memory -------------------------------------------------------------------------------------------

class GlobalPanel {
    constructor(recording, names, faults) {
        this.r = recording;
        this.faults = faults;
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

    // Returns the set of sectors that this step touches. Sectors are numbered from the start of the part that is used.
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

    // Returns [address, fault] for each word of the block with a fault at this step.
    faultsIn(step, block) {
        const r = this.r, list = [...this.faults.wordsAt(step)].filter(([id]) => id >= r.sharedWords);
        return list.map(([id, fault]) => [r.addresses.data[id - r.sharedWords], fault])
            .filter(([addr]) => addr >= block.at && addr < block.at + block.bytes);
    }

    // Draws a cross through each sector with a race, and a slash through each sector with an uninitialised read.
    drawFaults(c, faults, from, each) {
        c.strokeStyle = colours.ink;
        c.beginPath();
        for (const [addr, fault] of faults) {
            const x = (Math.floor(addr / 32) - from) * each, right = x + Math.max(4, each - 1);
            c.moveTo(x, 22);
            c.lineTo(right, 2);
            if (fault !== "race") continue;
            c.moveTo(x, 2);
            c.lineTo(right, 22);
        }
        c.stroke();
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
            const faults = this.faultsIn(step, block);
            this.drawFaults(c, faults, Math.floor(block.low / 32), each);
            const from = this.names.word(false, block.low), to = this.names.word(false, block.high - block.element);
            setText(text, `${from} to ${to}: ${plural(count, "sector")}${lit.size ? `, this step touches ${lit.size}` : ""}${faultsText(faults)}`);
            canvas.setAttribute("aria-label", text.textContent);
        }
    }
}

// --- the accesses of this step -------------------------------------------------------------------------------

const SPACE_TEXT = ["global memory", "shared memory", "local memory", "constant memory", "another block's shared memory", "memory"];
const KIND_TEXT = ["reads", "writes", "updates", "updates"];

class AccessPanel {
    constructor(recording, names, faults, go) {
        this.r = recording;
        this.faults = faults;
        this.go = go;
        this.names = names;
        this.box = document.getElementById("access");
    }

    cost(i) {
        const a = this.r.accesses, cost = a.cost.data[i], ideal = a.ideal.data[i];
        if (!cost) return "";
        const unit = a.space.data[i] === SPACE.shared ? "pass through the banks" : "sector";
        const units = n => a.space.data[i] === SPACE.shared && n !== 1 ? `${n} passes through the banks` : plural(n, unit);
        return cost > ideal ? `: ${units(cost)}, but ${ideal} would be enough` : `: ${units(cost)}`;
    }

    // Describes the faults of this step. A race has a button that goes to the other access.
    faultParts(step) {
        const parts = [], races = this.faults.racesAt(step), unset = this.faults.unsetLanes(step);
        for (const race of races.filter((r, i) => races.findIndex(other => other.finding === r.finding) === i)) {
            const p = element("p", "small fault", this.faults.raceText(race, this.names)), other = race.other.step;
            if (other !== step) {
                const button = element("button", "", `show the other access (step ${other})`);
                button.addEventListener("click", () => this.go(other));
                p.append(" ", button);
            }
            parts.push(p);
        }
        if (unset) {
            const [id] = [...this.faults.wordsAt(step)].find(([, fault]) => fault === "unset") || [NONE];
            const word = id === NONE ? "" : `, such as ${this.faults.word(id, this.names)}`;
            parts.push(element("p", "small fault", `Uninitialised read: ${lanesOf(unset)} ${countOf(unset) === 1 ? "reads" : "read"} memory that nothing has written${word}.`));
        }
        return parts;
    }

    // Returns [address, lanes that access it] for each address.
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
        const r = this.r, a = r.accesses, parts = this.faultParts(step), wrong = this.faults.wordsAt(step);
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
            const grid = element("div", "pairs"), failed = this.faults.failedLanes(step, r.warpOf[step]);
            for (const [addr, lanes] of groups.slice(0, WARP)) {
                const text = lanes.some(l => failed >>> l & 1) ? `${this.names.word(shared, addr)}: fault` : this.names.elements(shared, addr, a.bytes.data[i], step);
                const fault = wrong.get(r.wordId(shared, addr, false));
                grid.append(element("span", fault ? "fault" : "", `${lanes.length > 1 ? `${lanes.length} lanes` : lanes[0]}: ${text}${fault ? ` (${FAULT_TEXT[fault]})` : ""}`));
            }
            parts.push(grid);
        }
        if (parts.length === 0) parts.push(element("p", "dim small", "This step accesses no memory."));
        this.box.replaceChildren(...parts);
    }
}
