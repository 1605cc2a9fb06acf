// Names memory and registers, and formats values.
"use strict";

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

    // Finds the registers that instructions use as floats, because nvcc declares them like integers.
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
        // a copy of a float is a float, too
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

    // Returns the names in a list of parameters. A comma between < and > does not end a parameter.
    parameters(list) {
        let plain = list;
        for (let before = ""; before !== plain;) { before = plain; plain = plain.replace(/<[^<>]*>/g, " "); }
        return plain.split(",").map(p => (/([A-Za-z_]\w*)\s*(\[\w*\]\s*)?$/.exec(p) || [])[1]);
    }

    // Names allocations after the kernel's parameters in the source.
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

    // Finds the size of each array's elements, and the part of each allocation that the block uses.
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

    // Returns the address of the array's element 0.
    startOf(array) { return array.argument ? array.argumentAt : array.at; }

    // Returns a word's name, such as "sums[3]", or "reduce.cu:113[17]" in an allocation without a name.
    word(shared, addr) {
        const array = this.arrayAt(shared, addr);
        if (!array) return `${shared ? "shared " : ""}0x${addr.toString(16)}`;
        const offset = addr - this.startOf(array);
        const name = array.argument || array.name || `0x${array.at.toString(16)}`;
        return offset % array.element ? `${name} + ${offset} bytes` : `${name}[${offset / array.element}]`;
    }

    // Returns the element at ADDR after STEP as text, or "unset" if nothing has written this shared memory.
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

    // Returns the elements in BYTES bytes at ADDR, such as "data[4] = 7" or "data[4..7] = 7, 8, 9, 9".
    elements(shared, addr, bytes, step) {
        const array = this.arrayAt(shared, addr), size = array ? array.element : 4;
        const from = array ? addr - (addr - this.startOf(array)) % size : addr, count = Math.max(1, Math.floor((addr + bytes - from) / size));
        const values = Array.from({length: count}, (_, i) => this.elementAt(shared, from + i * size, step));
        const last = /\[(\d+)\]$/.exec(this.word(shared, from + (count - 1) * size));
        return `${count > 1 && last ? this.word(shared, from).replace(/\]$/, `..${last[1]}]`) : this.word(shared, from)} = ${values.join(", ")}`;
    }

    // Formats a value.
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

    // Returns the value of REGISTER in a lane as text, or "" if it is unknown.
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
