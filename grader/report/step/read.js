// Decodes a recording and reconstructs the state after any step. gpu/observe/stepper.h describes the stream, and
// gpu/record/steps.h the document. This file has the same model as gpu/observe/step_model.c.
//
// A first pass decodes all steps. It finds the place of each step in the stream, and keeps the addresses of all
// accesses, the history of each word of memory, and a copy of the registers every few hundred steps (a keyframe).
// To go to a step, the reader restores the keyframe before it and replays the steps in between.
"use strict";

const WARP = 32, NONE = -1;
const OPENED = 64;
const LINE = 128;   // bytes of a line of global memory
const PIECE = 1024; // number of records in a piece of the stream
const PART = {warp: 1, pc: 2, lanes: 4, active: 8, groups: 16, extras: 32, accesses: 64, values: 128};
const OP = {copy: 1, add: 2, sub: 3, mul: 4, mad: 5, fadd: 6, fsub: 7, fmul: 8, fma: 9, load: 10,
    and: 11, or: 12, xor: 13, shl: 14, shr: 15, sar: 16, unsigned: 17, signed: 18, fetch: 19,
    wideUnsigned: 20, wideSigned: 21, highUnsigned: 22, highSigned: 23,
    equal: 24, differs: 25, lessUnsigned: 26, less: 27, atMostUnsigned: 28, atMost: 29};
const SPACE = {global: 0, shared: 1, local: 2, constant: 3, cluster: 4};
// In the reader's model, the local memory of thread t is at LOCAL + t * LOCAL_ROOM, above all global memory.
const LOCAL = 2 ** 52, LOCAL_ROOM = 2 ** 24;
const KIND = {load: 0, store: 1, atomic: 2, reduction: 3};
const STANDING = {ready: 0, barrier: 1, warpSync: 2, meeting: 3, below: 4};
const TYPE_BYTES = {pred: 0, u8: 1, s8: 1, b8: 1, u16: 2, s16: 2, b16: 2, f16: 2, bf16: 2, u64: 8, s64: 8, b64: 8,
    f64: 8, b128: 16, e4m3x2: 2, e5m2x2: 2};

// An array of numbers that grows.
class List {
    constructor(Type, room = 1024) {
        this.Type = Type;
        this.data = new Type(room);
        this.length = 0;
    }
    reserve(count) {
        if (this.length + count <= this.data.length) return;
        const bigger = new this.Type(Math.max(2 * this.data.length, this.length + count));
        bigger.set(this.data);
        this.data = bigger;
    }
    push(value) {
        if (this.length === this.data.length) this.reserve(1);
        this.data[this.length++] = value;
    }
}

class Recording {
    constructor(meta, bytes) {
        this.meta = meta;
        this.bytes = bytes;
        this.steps = meta.steps;
        this.warps = meta.warps;
        this.code = meta.code.map(c => ({text: c[0], file: c[1], line: c[2], fn: c[3], op: c[4], dest: c[5],
            source: c[6], memory: c[7] ? {kind: c[7][0], bytes: c[7][1], signed: c[7][2], base: c[7][3],
                offset: c[7][4], sweeps: c[7][5]} : null}));
        this.layOutRegisters();
        const n = this.steps;
        this.at = new Uint32Array(n);       // the offset of each step's record
        this.valuesAt = new Uint32Array(n); // the offset of the record's values in the stream
        this.warpOf = new Uint8Array(n);
        this.pcOf = new Uint32Array(n);
        this.lanesOf = new Uint32Array(n);
        this.activeOf = new Uint32Array(n);
        this.splitOf = new Uint8Array(n);  // 1: the lanes took both sides of a branch
        this.firstAccess = new Uint32Array(n + 1);
        this.accesses = {mask: new List(Uint32Array), space: new List(Uint8Array), bytes: new List(Uint8Array),
            kind: new List(Uint8Array), cost: new List(Uint8Array), ideal: new List(Uint8Array),
            addr: new List(Float64Array, 1 << 15)};
        this.faults = [];
        this.unset = new Map();  // for each step, the lanes that read uninitialised memory
        this.patterns = new Map();
        this.latest = new Map();  // the latest access of each instruction
        this.openMemory();
        this.state = this.freshState();
        this.position = -1;
        const bytesOfFrame = 4 * (this.state.words.length + this.state.known.length);
        this.spacing = Math.max(256, Math.ceil(n * bytesOfFrame / (48 << 20)));
        this.frames = [];
        this.done = 0;
    }

    layOutRegisters() {
        let at = 0;
        const places = new Map();
        this.registers = this.meta.registers.map(([name, type, fn, place]) => {
            const bytes = type in TYPE_BYTES ? TYPE_BYTES[type] : 4;
            const register = {name, type, fn, bytes, at, others: []};
            at += bytes === 0 ? 1 : bytes <= 4 ? WARP : bytes / 4 * WARP;
            if (place >= 0) {
                // registers that share a place: a write to one register makes the others unknown
                const key = `${fn} ${place}`;
                if (!places.has(key)) places.set(key, []);
                places.get(key).push(register);
            }
            return register;
        });
        this.registers.forEach((r, i) => { r.index = i; });
        for (const list of places.values()) for (const r of list) r.others = list.filter(o => o !== r).map(o => o.index);
        this.warpWords = at;
    }

    freshState() {
        const words = new Uint32Array(this.warps * this.warpWords);
        return {words, floats: new Float32Array(words.buffer), known: new Uint32Array(this.warps * this.registers.length),
            groups: Array.from({length: this.warps}, () => []), pc: new Uint32Array(this.warps).fill(0xffffffff),
            lanes: new Uint32Array(this.warps).fill(0xffffffff), warp: 0};
    }

    copyState(s) {
        const words = s.words.slice();
        return {words, floats: new Float32Array(words.buffer), known: s.known.slice(), groups: s.groups.slice(),
            pc: s.pc.slice(), lanes: s.lanes.slice(), warp: s.warp};
    }

    // --- memory: words are numbered, those of shared memory first, then the others in order of use -------

    openMemory() {
        const fill = this.meta.fill * 0x01010101;
        this.sharedWords = Math.ceil(this.meta.shared_bytes / 4);
        this.ids = new Map();   // for each line of global memory, the numbers of its words
        this.line = {key: NONE, ids: undefined};  // the line of the latest call of wordId()
        this.addresses = new List(Float64Array);
        this.current = new List(Uint32Array, this.sharedWords + 1024);
        for (let i = 0; i < this.sharedWords; i++) this.current.push(fill);
        this.fill = fill >>> 0;
        this.written = new Uint8Array(this.sharedWords);
        this.log = {id: new List(Uint32Array), step: new List(Uint32Array), value: new List(Uint32Array),
            lane: new List(Int8Array)};
    }

    // Returns the number of the word at ADDR, or NONE if the block has not used it. With MAKE, an unused word gets a
    // number.
    wordId(shared, addr, make) {
        if (shared) {
            const id = Math.floor(addr / 4);
            return id < this.sharedWords ? id : NONE;
        }
        const key = Math.floor(addr / LINE), at = Math.floor(addr / 4) - key * LINE / 4;
        if (key !== this.line.key) this.line = {key, ids: this.ids.get(key)};
        if (!this.line.ids) {
            if (!make) return NONE;
            this.line.ids = new Int32Array(LINE / 4).fill(NONE);
            this.ids.set(key, this.line.ids);
        }
        if (this.line.ids[at] === NONE && make) {
            this.line.ids[at] = this.sharedWords + this.addresses.length;
            this.addresses.push(4 * Math.floor(addr / 4));
            this.current.push(0);
        }
        return this.line.ids[at];
    }

    // Returns the word before step STEP. During the first pass, this is the current word.
    wordBefore(shared, addr, step) {
        const id = this.wordId(shared, addr, false);
        if (id === NONE) return 0;
        return this.history ? this.valueAt(id, step - 1) : this.current.data[id];
    }

    // Returns the word after the step that the first pass has reached.
    wordNow(shared, addr) {
        const id = this.wordId(shared, Math.floor(addr / 4) * 4, false);
        return id === NONE ? 0 : this.current.data[id];
    }

    setWord(shared, addr, value, step, lane) {
        const id = this.wordId(shared, addr, true);
        if (id === NONE) return;
        this.current.data[id] = value;
        if (shared && lane !== -2) this.written[id] = 1;
        this.log.id.push(id);
        this.log.step.push(step);
        this.log.value.push(value);
        this.log.lane.push(lane);
    }

    store(shared, addr, bytes, low, high, step, lane) {
        const word = Math.floor(addr / 4) * 4;
        if (bytes >= 4) {
            this.setWord(shared, word, low >>> 0, step, lane);
            if (bytes === 8) this.setWord(shared, word + 4, high >>> 0, step, lane);
            return;
        }
        const shift = 8 * (addr - word), bits = ((1 << 8 * bytes) - 1) << shift;
        const id = this.wordId(shared, word, true), old = id === NONE ? 0 : this.current.data[id];
        this.setWord(shared, word, ((old & ~bits) | (low << shift & bits)) >>> 0, step, lane);
    }

    // Sorts the log by word. The history of word ID is from start[id] up to start[id + 1].
    closeMemory() {
        const {id, step, value, lane} = this.log, n = id.length, words = this.current.length;
        const start = new Uint32Array(words + 1), next = new Uint32Array(words);
        for (let i = 0; i < n; i++) start[id.data[i] + 1]++;
        for (let i = 0; i < words; i++) { start[i + 1] += start[i]; next[i] = start[i]; }
        const h = {start, step: new Uint32Array(n), value: new Uint32Array(n), lane: new Int8Array(n)};
        for (let i = 0; i < n; i++) {
            const to = next[id.data[i]]++;
            h.step[to] = step.data[i];
            h.value[to] = value.data[i];
            h.lane[to] = lane.data[i];
        }
        this.history = h;
        this.log = this.current = this.written = null;
    }

    // Returns the index in the history of the last change of word ID up to STEP, or NONE.
    changeAt(id, step) {
        const h = this.history;
        let low = h.start[id], high = h.start[id + 1];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (h.step[middle] <= step) low = middle + 1; else high = middle;
        }
        return low > h.start[id] ? low - 1 : NONE;
    }

    valueAt(id, step) {
        const change = this.changeAt(id, step);
        return change === NONE ? (id < this.sharedWords ? this.fill : 0) : this.history.value[change];
    }

    // Returns the last write up to STEP as {step, warp, lane}, or null. The lane is -1 if no lane of this step wrote.
    writerAt(id, step) {
        const h = this.history;
        for (let i = this.changeAt(id, step); i !== NONE && i >= h.start[id]; i--)
            if (h.lane[i] !== -2) return {step: h.step[i], warp: this.warpOf[h.step[i]], lane: h.lane[i]};
        return null;
    }

    // Returns only the warp of the last write, which is OPENED for a barrier, or NONE.
    writingWarp(id, step) {
        const h = this.history;
        let i = this.changeAt(id, step);
        while (i !== NONE && i >= h.start[id] && h.lane[i] === -2) i--;
        return i === NONE || i < h.start[id] ? NONE : this.warpOf[h.step[i]];
    }

    // Returns the next step in DIRECTION (1 or -1) that changes the word, or NONE.
    nextChange(id, step, direction) {
        const h = this.history;
        for (let i = h.start[id]; i < h.start[id + 1]; i++) {
            const k = direction > 0 ? i : h.start[id + 1] - 1 - (i - h.start[id]);
            if (h.lane[k] !== -2 && (direction > 0 ? h.step[k] > step : h.step[k] < step)) return h.step[k];
        }
        return NONE;
    }

    // --- the stream ----------------------------------------------------------------------------------------

    byte() { return this.bytes[this.p++]; }
    wordAt(p) {
        const b = this.bytes;
        return (b[p] | b[p + 1] << 8 | b[p + 2] << 16 | b[p + 3] << 24) >>> 0;
    }
    word() { return this.wordAt((this.p += 4) - 4); }
    value() { return this.wordAt((this.v += 4) - 4); } // the next word of the piece's second part
    number() {
        let value = 0, scale = 1, b;
        do {
            b = this.bytes[this.p++];
            value += (b & 127) * scale;
            scale *= 128;
        } while (b > 127);
        return value;
    }
    signed() {
        const n = this.number();
        return n % 2 ? -(n + 1) / 2 : n / 2;
    }

    // --- registers -----------------------------------------------------------------------------------------

    // Marks the lanes of MASK as written.
    know(s, warp, index, mask) {
        const base = warp * this.registers.length;
        s.known[base + index] |= mask;
        for (const other of this.registers[index].others) s.known[base + other] &= ~mask;
    }

    readValues(form, words, at, bytes, mask) {
        if (form === 4) {
            words[at] = (words[at] & ~mask) | (this.word() & mask);
        } else if (form === 5) {
            for (let l = 0; l < WARP; l++) if (mask >>> l & 1) words[at + l] = this.bytes[this.v++];
        } else if (form === 6) {
            for (let l = 0; l < WARP; l++) if (mask >>> l & 1) words[at + l] = this.bytes[this.v++] | this.bytes[this.v++] << 8;
        } else if (form === 3) {
            for (let k = 0; k < (bytes <= 4 ? 1 : bytes / 4); k++)
                for (let l = 0; l < WARP; l++) if (mask >>> l & 1) words[at + k * WARP + l] = this.value();
        } else {
            const first = form === 1 ? this.number() : this.signed(), stride = form === 1 ? 0 : this.signed();
            for (let l = 0; l < WARP; l++) {
                if (!(mask >>> l & 1)) continue;
                const value = first + l * stride;
                words[at + l] = value;
                if (bytes === 8) words[at + WARP + l] = Math.floor(value / 4294967296);
            }
        }
    }

    predictLoad(code, k, register, words, at, mask, access, step) {
        const bytes = code.memory.bytes, bits = 8 * bytes, a = this.accesses;
        const shared = a.space.data[access] === SPACE.shared;
        for (let l = 0; l < WARP; l++) {
            if (!(mask >>> l & 1)) continue;
            const addr = a.addr.data[access * WARP + l] + k * bytes, word = Math.floor(addr / 4) * 4;
            let low = this.wordBefore(shared, word, step), high = 0;
            if (bytes < 4) {
                low = low >>> 8 * (addr - word) & ((1 << bits) - 1);
                if (code.memory.signed && low >>> (bits - 1) & 1) low |= ~((1 << bits) - 1);
                low = (register.bytes === 2 ? low & 0xffff : register.bytes === 1 ? low & 0xff : low) >>> 0;
            }
            if (bytes === 8) high = this.wordBefore(shared, word + 4, step);
            else if (code.memory.signed && low >>> 31) high = 0xffffffff;
            words[at + l] = low;
            if (register.bytes === 8) words[at + WARP + l] = high;
        }
    }

    // Predicts the word that each lane gets from an atomic addition. Lanes add one after the other.
    predictFetch(s, code, warp, words, mask, access, step) {
        const a = this.accesses, shared = a.space.data[access] === SPACE.shared, added = new Map();
        for (let l = 0; l < WARP; l++) {
            if (!(mask >>> l & 1)) continue;
            const addr = a.addr.data[access * WARP + l], sum = added.get(addr) || 0;
            words[l] = this.wordBefore(shared, Math.floor(addr / 4) * 4, step) + sum;
            added.set(addr, sum + this.operand(s, warp, code.source[0], l, false));
        }
    }

    operand(s, warp, source, lane, asFloat) {
        if (typeof source === "number") {
            const at = warp * this.warpWords + this.registers[source].at + lane;
            return asFloat ? s.floats[at] : s.words[at];
        }
        if (!asFloat) return source[0];
        this.scratch[0] = source[0];
        return this.scratchFloat[0];
    }

    predict(s, code, k, warp, register, out, mask, access, step) {
        if (code.op === OP.load) {
            this.predictLoad(code, k, register, out, 0, mask, access, step);
            return;
        }
        if (code.op === OP.fetch) {
            this.predictFetch(s, code, warp, out, mask, access, step);
            return;
        }
        if (code.op >= OP.equal) {
            this.compare(s, code, warp, out, mask);
            return;
        }
        if (register.bytes === 8) {
            this.predictLong(s, code, warp, out, mask);
            return;
        }
        const [x, y, z] = code.source, isFloat = code.op >= OP.fadd && code.op <= OP.fma;
        for (let l = 0; l < WARP; l++) {
            if (!(mask >>> l & 1)) continue;
            const a = this.operand(s, warp, x, l, isFloat);
            const b = y === undefined ? 0 : this.operand(s, warp, y, l, isFloat);
            const c = z === undefined ? 0 : this.operand(s, warp, z, l, isFloat);
            switch (code.op) {
            case OP.copy: out[l] = a; break;
            case OP.add: out[l] = a + b; break;
            case OP.sub: out[l] = a - b; break;
            case OP.mul: out[l] = Math.imul(a, b); break;
            case OP.mad: out[l] = Math.imul(a, b) + c; break;
            case OP.and: out[l] = a & b; break;
            case OP.or: out[l] = a | b; break;
            case OP.xor: out[l] = a ^ b; break;
            case OP.shl: out[l] = b > 31 ? 0 : a << b; break;
            case OP.shr: out[l] = b > 31 ? 0 : a >>> b; break;
            case OP.sar: out[l] = a >> Math.min(b, 31); break;
            case OP.highUnsigned: case OP.highSigned: out[l] = this.highProduct(a, b, code.op === OP.highSigned); break;
            case OP.unsigned: case OP.signed:
                this.scratchFloat[0] = code.op === OP.signed ? a | 0 : a;
                out[l] = this.scratch[0];
                break;
            default: {
                const value = code.op === OP.fadd ? a + b : code.op === OP.fsub ? a - b
                    : code.op === OP.fmul ? a * b : a * b + c;
                this.scratchFloat[0] = value;
                out[l] = value !== value ? 0x7fc00000 : this.scratch[0];
            }
            }
        }
    }

    // Returns where an operand's words are: lane L has the low word WORDS[at + L * stride] and, if the operand has
    // 8 bytes, the high word WORDS[high + L * stride].
    place(s, warp, source) {
        if (typeof source !== "number") return {words: source, at: 0, high: 1, stride: 0};
        const at = warp * this.warpWords + this.registers[source].at;
        return {words: s.words, at, high: at + WARP, stride: 1};
    }

    // Returns the high word of the product of two words.
    highProduct(a, b, isSigned) {
        const low = (a & 0xffff) * (b & 0xffff), middle = (a >>> 16) * (b & 0xffff) + (low >>> 16);
        const other = (a & 0xffff) * (b >>> 16) + (middle & 0xffff);
        const high = (a >>> 16) * (b >>> 16) + (middle >>> 16) + (other >>> 16);
        return isSigned ? high - (a >> 31 & b) - (b >> 31 & a) : high;
    }

    // Computes results of 8 bytes. An element of a Uint32Array keeps only the lower 32 bits of a number.
    predictLong(s, code, warp, out, mask) {
        const x = this.place(s, warp, code.source[0]), y = this.place(s, warp, code.source[1] ?? [0, 0]);
        for (let l = 0; l < WARP; l++) {
            if (!(mask >>> l & 1)) continue;
            const a = x.words[x.at + l * x.stride], b = y.words[y.at + l * y.stride];
            const c = x.words[x.high + l * x.stride], d = y.words[y.high + l * y.stride]; // unused if the operand has 4 bytes
            switch (code.op) {
            case OP.copy: out[l] = a; out[WARP + l] = c; break;
            case OP.add: out[l] = a + b; out[WARP + l] = c + d + (a + b > 0xffffffff ? 1 : 0); break;
            case OP.sub: out[l] = a - b; out[WARP + l] = c - d - (a < b ? 1 : 0); break;
            case OP.and: out[l] = a & b; out[WARP + l] = c & d; break;
            case OP.or: out[l] = a | b; out[WARP + l] = c | d; break;
            case OP.xor: out[l] = a ^ b; out[WARP + l] = c ^ d; break;
            case OP.shl:
                out[l] = b > 31 ? 0 : a << b;
                out[WARP + l] = b > 63 ? 0 : b > 31 ? a << b - 32 : b === 0 ? c : c << b | a >>> 32 - b;
                break;
            default:
                out[l] = Math.imul(a, b);
                out[WARP + l] = this.highProduct(a, b, code.op === OP.wideSigned);
            }
        }
    }

    // Computes the predicate of a comparison.
    compare(s, code, warp, out, mask) {
        const x = this.place(s, warp, code.source[0]), y = this.place(s, warp, code.source[1]);
        let bits = 0;
        for (let l = 0; l < WARP; l++) {
            if (!(mask >>> l & 1)) continue;
            const a = x.words[x.at + l * x.stride], b = y.words[y.at + l * y.stride];
            const holds = code.op === OP.equal ? a === b : code.op === OP.differs ? a !== b
                : code.op === OP.lessUnsigned ? a < b : code.op === OP.less ? (a | 0) < (b | 0)
                : code.op === OP.atMostUnsigned ? a <= b : (a | 0) <= (b | 0);
            if (holds) bits |= 1 << l;
        }
        out[0] = bits;
    }

    // Reads or predicts the results of the instruction. All predictions use the registers before it.
    results(s, code, warp, active, hasValues, access, count, step, first) {
        if (!active) return;
        const news = [];
        for (let k = 0; k < code.dest.length; k++) {
            const register = this.registers[code.dest[k]];
            const out = this.news[k] || (this.news[k] = new Uint32Array(4 * WARP));
            const form = hasValues ? this.byte() : 0;
            if (form === 0) this.predict(s, code, k, warp, register, out, active, access, step);
            else this.readValues(form, out, 0, register.bytes, active);
            if (form !== 0 && first && code.op === OP.load) this.learn(code, k, register, out, active, access, count, step, warp);
            news.push(out);
        }
        news.forEach((out, k) => this.keep(s, warp, code.dest[k], out, active));
    }

    keep(s, warp, index, out, mask) {
        const register = this.registers[index], at = warp * this.warpWords + register.at;
        if (register.bytes === 0) s.words[at] = (s.words[at] & ~mask) | (out[0] & mask);
        for (let k = 0; k < (register.bytes === 0 ? 0 : register.bytes <= 4 ? 1 : register.bytes / 4); k++)
            for (let l = 0; l < WARP; l++) if (mask >>> l & 1) s.words[at + k * WARP + l] = out[k * WARP + l];
        this.know(s, warp, index, mask);
    }

    // Stores loaded values in the model, because the recording has not shown this memory before.
    learn(code, k, register, out, active, access, count, step, warp) {
        const a = this.accesses, shared = a.space.data[access] === SPACE.shared, bytes = code.memory.bytes;
        if (count !== 1 || a.mask.data[access] !== active) return;
        for (let l = 0; l < WARP; l++) {
            const place = this.placeOf(access, l, warp);
            if (active >>> l & 1 && place !== NONE)
                this.store(shared, place + k * bytes, bytes, out[l], register.bytes === 8 ? out[WARP + l] : 0, step, -2);
        }
    }

    // --- accesses ------------------------------------------------------------------------------------------

    readAccess(s, code, pc, warp, active, first) {
        const head = this.byte(), form = head & 7, mask = head & 8 ? this.word() : active;
        const isAlike = head & 128, bytes = isAlike ? 0 : this.byte(), kind = isAlike ? 0 : this.byte(), addr = this.addr;
        const low = form === 0 ? 0 : this.number();
        const lead = 31 - Math.clz32(mask & -mask);
        if (form === 0) {
            const r = this.registers[code.memory.base], at = warp * this.warpWords + r.at;
            for (let l = 0; l < WARP; l++) {
                const value = s.words[at + l] + code.memory.offset;
                addr[l] = r.bytes === 8 ? value + 4294967296 * s.words[at + WARP + l] : value >>> 0;
            }
        } else if (form === 1) {
            addr.fill(low);
        } else if (form === 2) {
            const stride = this.signed();
            for (let l = 0; l < WARP; l++) addr[l] = low + (l - lead) * stride;
        } else if (form === 3) {
            const pattern = this.patterns.get(pc);
            for (let l = 0; l < WARP; l++) addr[l] = low + pattern[l] - pattern[lead];
        } else {
            let last = low;
            addr.fill(low);
            for (let l = lead + 1; l < WARP; l++) if (mask >>> l & 1) addr[l] = last += this.signed();
            if (first) this.patterns.set(pc, addr.slice());
        }
        const cost = isAlike ? 0 : this.number(), ideal = isAlike ? 0 : this.number();
        if (!first) return;
        const a = this.accesses, last = this.latest.get(pc);
        this.latest.set(pc, a.mask.length);
        a.mask.push(mask);
        a.space.push(head >> 4 & 7);
        a.bytes.push(isAlike ? a.bytes.data[last] : bytes);
        a.kind.push(isAlike ? a.kind.data[last] : kind);
        a.cost.push(isAlike ? a.cost.data[last] : cost);
        a.ideal.push(isAlike ? a.ideal.data[last] : ideal);
        a.addr.reserve(WARP);
        a.addr.data.set(addr, a.addr.length);
        a.addr.length += WARP;
    }

    // Returns the model's address of lane L of access I, or NONE if the model does not have that memory.
    placeOf(i, l, warp) {
        const space = this.accesses.space.data[i], addr = this.accesses.addr.data[i * WARP + l];
        if (space === SPACE.local) return addr < LOCAL_ROOM ? LOCAL + (warp * WARP + l) * LOCAL_ROOM + addr : NONE;
        return space === SPACE.global || space === SPACE.shared || space === SPACE.constant ? addr : NONE;
    }

    // Applies the stores and atomic additions of this step to memory. Other atomic operations have no source.
    followStores(s, code, warp, step) {
        const a = this.accesses, adds = code.memory && code.memory.kind === "a";
        if (!code.memory || code.memory.kind === "l" || code.memory.kind === "o" || code.memory.sweeps) return;
        for (let i = this.firstAccess[step]; i < this.firstAccess[step + 1]; i++) {
            const shared = a.space.data[i] === SPACE.shared, bytes = code.memory.bytes;
            for (let l = 0; l < WARP; l++) {
                const place = this.placeOf(i, l, warp);
                if (!(a.mask.data[i] >>> l & 1) || a.kind.data[i] === KIND.load || place === NONE) continue;
                code.source.forEach((source, k) => {
                    let low = source[0], high = source[1];
                    if (typeof source === "number") {
                        const at = warp * this.warpWords + this.registers[source].at + l;
                        low = s.words[at];
                        high = bytes === 8 ? s.words[at + WARP] : 0;
                    }
                    if (adds) low += this.wordNow(shared, place);
                    this.store(shared, place + k * bytes, bytes, low, high, step, l);
                });
            }
        }
    }

    noteUnset(step, mask) { this.unset.set(step, (this.unset.get(step) || 0) | mask); }

    // Notes the lanes that read words of shared memory that nothing has written. For global memory, the recording has
    // these lanes.
    findUnset(step) {
        const a = this.accesses;
        let unset = 0;
        for (let i = this.firstAccess[step]; i < this.firstAccess[step + 1]; i++) {
            if (a.space.data[i] !== SPACE.shared || a.kind.data[i] === KIND.store) continue;
            for (let l = 0, at = i * WARP; l < WARP; l++)
                if (a.mask.data[i] >>> l & 1 && this.written[a.addr.data[at + l] >>> 2] === 0) unset |= 1 << l;
        }
        if (unset) this.noteUnset(step, unset);
    }

    // Gives numbers to all words of global memory that the step accesses. Words that hold 0 may have no number yet.
    noteWords(step) {
        const a = this.accesses;
        for (let i = this.firstAccess[step]; i < this.firstAccess[step + 1]; i++) {
            if (a.space.data[i] !== SPACE.global) continue;
            for (let l = 0; l < WARP; l++)
                for (let b = 0; a.mask.data[i] >>> l & 1 && b < a.bytes.data[i]; b += 4)
                    this.wordId(false, a.addr.data[i * WARP + l] + b, true);
        }
    }

    // Returns the last lane of this step that writes the word, -2 if lanes only read it, or -1 if no lane accesses it.
    laneOf(step, shared, addr) {
        const a = this.accesses;
        let none = -1;
        for (let i = this.firstAccess[step]; i < this.firstAccess[step + 1]; i++) {
            if ((a.space.data[i] === SPACE.shared) !== shared) continue;
            for (let l = WARP - 1; l >= 0; l--) {
                const from = a.addr.data[i * WARP + l];
                if (!(a.mask.data[i] >>> l & 1) || addr + 4 <= from || addr >= from + a.bytes.data[i]) continue;
                if (a.kind.data[i] !== KIND.load) return l;
                none = -2;
            }
        }
        return none;
    }

    // --- steps ---------------------------------------------------------------------------------------------

    readExtras(s, step, first) {
        for (let kind = this.byte(); kind !== 0; kind = this.byte()) {
            if (kind === 1) {
                const shared = this.byte() === 1, count = this.number(), addr = this.number();
                for (let i = 0; i < count; i++) {
                    const value = this.word();
                    if (first) this.setWord(shared, addr + 4 * i, value, step, this.laneOf(step, shared, addr + 4 * i));
                }
            } else if (kind === 2) {
                const warp = this.number(), index = this.number(), mask = this.word(), form = this.byte();
                const out = this.news[0] || (this.news[0] = new Uint32Array(4 * WARP));
                this.readValues(form, out, 0, this.registers[index].bytes, mask);
                this.keep(s, warp, index, out, mask);
            } else if (kind === 4) {
                this.noteUnset(step, this.word());
            } else {
                const fault = {step, kind: this.byte(), thread: this.number(), addr: this.number()};
                fault.warp = Math.floor(fault.thread / WARP);
                fault.lane = fault.thread % WARP;
                if (first) this.faults.push(fault);
            }
        }
    }

    readGroups() {
        const groups = [];
        for (let left = this.number(); left > 0; left--)
            groups.push({lanes: this.word(), pc: this.number(), standing: this.byte()});
        return groups;
    }

    // Returns the warp's groups after a step whose record has no groups.
    advance(groups, lanes, pc) {
        const list = groups.length ? groups : [{lanes, pc, standing: STANDING.ready}];
        return list.map(g => g.pc === pc && g.lanes === lanes ? {lanes, pc: pc + 1, standing: STANDING.ready} : g);
    }

    readOpening(s, parts, step, first) {
        const warps = this.word();
        for (let w = 0; w < WARP; w++) if (warps >>> w & 1) s.groups[w] = this.readGroups();
        if (first) {
            this.warpOf[step] = OPENED;
            this.firstAccess[step + 1] = this.accesses.mask.length;
        }
        if (parts & PART.extras) this.readExtras(s, step, first);
    }

    // Applies step STEP to state S. In the FIRST pass, it also fills the tables.
    apply(s, step, first) {
        if (first && step % PIECE === 0) {
            const length = (this.p = this.v, this.number());
            this.v = this.p + length;
        }
        if (first) { this.at[step] = this.p; this.valuesAt[step] = this.v; }
        else { this.p = this.at[step]; this.v = this.valuesAt[step]; }
        const parts = this.byte(), warp = parts & PART.warp ? this.number() : s.warp;
        if (warp === OPENED) {
            this.readOpening(s, parts, step, first);
            return;
        }
        const pc = (parts & PART.pc ? this.signed() : 0) + (s.pc[warp] + 1 >>> 0);
        const lanes = parts & PART.lanes ? this.word() : s.lanes[warp];
        const active = parts & PART.active ? this.word() : lanes, code = this.code[pc];
        if (first) {
            this.warpOf[step] = warp;
            this.pcOf[step] = pc;
            this.lanesOf[step] = lanes;
            this.activeOf[step] = active;
        }
        const count = parts & PART.accesses ? this.number() : 0;
        for (let i = 0; i < count; i++) this.readAccess(s, code, pc, warp, active, first);
        if (first) this.firstAccess[step + 1] = this.accesses.mask.length;
        this.results(s, code, warp, active, (parts & PART.values) !== 0, this.firstAccess[step], count, step, first);
        if (first && count) this.findUnset(step);
        if (first) this.followStores(s, code, warp, step);
        if (parts & PART.extras) this.readExtras(s, step, first);
        if (first && count) this.noteWords(step);
        const before = s.groups[warp].length;
        s.groups[warp] = parts & PART.groups ? this.readGroups() : this.advance(s.groups[warp], lanes, pc);
        if (first) this.splitOf[step] = before > 0 && s.groups[warp].length > before && active !== 0 && active !== lanes ? 1 : 0;
        s.warp = warp;
        s.pc[warp] = pc;
        s.lanes[warp] = lanes;
    }

    // --- the two passes ------------------------------------------------------------------------------------

    // Decodes steps for about MILLISECONDS. Returns whether all are decoded.
    decodeSome(milliseconds) {
        const end = performance.now() + milliseconds;
        if (this.done === 0) {
            this.v = 0;
            this.news = [];
            this.addr = new Float64Array(WARP);
            this.scratch = new Uint32Array(1);
            this.scratchFloat = new Float32Array(this.scratch.buffer);
            this.decoding = this.freshState();
        }
        while (this.done < this.steps) {
            if (this.done % this.spacing === 0) this.frames.push(this.copyState(this.decoding));
            this.apply(this.decoding, this.done, true);
            this.done++;
            if (this.done % 64 === 0 && performance.now() > end) break;
        }
        if (this.done < this.steps) return false;
        this.decoding = null;
        this.closeMemory();
        return true;
    }

    // Returns the state after STEP, or before the first step if STEP is -1.
    seek(step) {
        if (step < this.position || step - this.position > this.spacing) {
            const frame = Math.min(Math.floor((step + 1) / this.spacing), this.frames.length - 1);
            this.state = this.copyState(this.frames[frame]);
            this.position = frame * this.spacing - 1;
        }
        while (this.position < step) this.apply(this.state, ++this.position, false);
        return this.state;
    }
}
