// Starts the page when the recording is unpacked. Handles the source, the controls and the keys.
"use strict";

class View {
    constructor(recording, sources) {
        this.r = recording;
        this.sources = sources;
        this.names = new Names(recording, sources);
        this.moments = new Moments(recording, sources);
        this.step = -1;
        this.warp = 0;
        this.watches = [];
        this.$ = id => document.getElementById(id);
        readColours();
        this.file = this.mainFile();
        this.buildSource();
        const faults = this.moments.faults;
        this.warps = new WarpPanel(recording, faults, w => this.follow(w));
        this.registers = new RegisterPanel(recording, this.names);
        this.variables = new VariablePanel(recording, this.names);
        this.local = new LocalPanel(recording, this.names);
        this.shared = new SharedPanel(recording, this.names, faults);
        this.global = new GlobalPanel(recording, this.names, faults);
        this.access = new AccessPanel(recording, this.names, faults, step => this.go(step));
        this.buildFindings();
        this.connect();
    }

    // Returns the file with the most instructions, among the files whose text the page has.
    mainFile() {
        const counts = new Map();
        for (const code of this.r.code)
            if (this.sources[code.file]) counts.set(code.file, (counts.get(code.file) || 0) + 1);
        return [...counts].sort((a, b) => b[1] - a[1]).map(([file]) => file)[0];
    }

    buildSource() {
        const box = this.$("source"), source = this.sources[this.file];
        this.lines = [];
        box.replaceChildren();
        if (!source) {
            box.textContent = "The page does not have the source: the file was not found or is too long. The instructions are below.";
            return;
        }
        source.text.replace(/\n$/, "").split("\n").forEach((text, i) => {
            const row = element("div", "line"), number = element("button", "", String(i + 1)), stand = element("span", "stand");
            number.type = "button";
            number.setAttribute("aria-label", `Line ${i + 1}: breakpoint`);
            number.setAttribute("aria-pressed", "false");
            number.addEventListener("click", () => this.turnBreakpoint(i + 1));
            row.append(number, stand, element("span", "", text));
            box.append(row);
            this.lines.push({row, number, stand});
        });
    }

    // Sets or clears a breakpoint. A breakpoint on a line without code moves to the next line with code.
    turnBreakpoint(wanted) {
        const line = this.moments.lineWithCode(this.file, wanted), stops = this.moments.breakpoints;
        if (line === NONE || !this.lines[line - 1]) {
            this.say(`The recorded kernel has no code from line ${wanted} on.`);
            return;
        }
        const key = `${this.file}:${line}`, on = line !== wanted || !stops.delete(key);
        if (on) stops.add(key);
        this.lines[line - 1].number.setAttribute("aria-pressed", String(on));
        this.showSource();
        if (line !== wanted) this.say(`Line ${wanted} has no code; the breakpoint is on line ${line}.`);
    }

    // --- findings --------------------------------------------------------------------------------------------

    buildFindings() {
        const list = this.$("findings");
        this.$("finding-part").hidden = this.moments.findings.length === 0;
        for (const {finding, steps, pair} of this.moments.findings) {
            const item = element("li");
            item.append(element("p", "title", `Line ${finding.line}: ${finding.title || finding.id} [${finding.id}]`));
            item.append(element("p", "small", finding.cause || finding.message));
            steps.forEach((step, i) => {
                const text = steps.length === 1 ? "show me" : i === 0 ? "show the first access" : "show the second access";
                const button = element("button", "", `${text} (step ${step})`);
                button.addEventListener("click", () => this.go(step));
                item.append(button, " ");
            });
            if (steps.length === 0) item.append(element("p", "dim small", "This did not happen in the recorded steps of this block."));
            if (pair) item.append(element("p", "small", this.pairText(pair)));
            if (finding.help) item.append(element("p", "dim small", finding.help));
            list.append(item);
        }
    }

    pairText({first, second, id}) {
        const r = this.r, shared = id < r.sharedWords, addr = shared ? 4 * id : r.addresses.data[id - r.sharedWords];
        const side = a => `${a.writes ? "writes" : "reads"} it in step ${a.step} (warp ${a.warp}, lane ${a.lane})`;
        return `Both accesses are to ${this.names.word(shared, addr)}: one thread ${side(first)}, another thread ${side(second)}. Nothing orders them: no barrier opens in between.`;
    }

    // --- controls --------------------------------------------------------------------------------------------

    connect() {
        const r = this.r, on = (id, run) => this.$(id).addEventListener("click", run);
        this.$("time").max = r.steps - 1;
        this.$("time").addEventListener("input", e => { this.pause(); this.go(Number(e.target.value), true); });
        for (let w = 0; w < r.warps; w++) this.$("warp").append(new Option(String(w), String(w)));
        this.$("warp").addEventListener("change", e => this.follow(Number(e.target.value)));
        this.$("lane").addEventListener("input", () => this.show());
        this.$("hex").addEventListener("change", () => this.show());
        on("back", () => this.move("instruction", -1));
        on("forward", () => this.move("instruction", 1));
        on("back-line", () => this.move("line", -1));
        on("forward-line", () => this.move("line", 1));
        on("play", () => this.timer ? this.pause() : this.play());
        for (const button of document.querySelectorAll("[data-next]"))
            button.addEventListener("click", () => this.move(button.dataset.next, this.$("backwards").checked ? -1 : 1));
        this.$("watch-form").addEventListener("submit", e => { e.preventDefault(); this.addWatch(this.$("watch-what").value); });
        document.addEventListener("keydown", e => this.key(e));
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); this.show(); });
        addEventListener("hashchange", () => this.readHash());
        addEventListener("resize", () => { this.global.measure(); this.global.show(this.step); });
    }

    key(e) {
        if (e.ctrlKey || e.altKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "range" && e.target.type !== "checkbox") return;
        if (e.key === " " && (e.target.tagName === "BUTTON" || e.target.type === "checkbox")) return;
        const kinds = {f10: "line", f11: "instruction", n: "line", i: "instruction", b: "barrier", d: "split", c: "conflict", a: "race", u: "unset", f: "finding", r: "stop"};
        const kind = kinds[e.key.toLowerCase()];
        if (e.key === " ") this.timer ? this.pause() : this.play();
        else if (e.key === "Home" && e.target.type !== "range") this.go(0);
        else if (e.key === "End" && e.target.type !== "range") this.go(this.r.steps - 1);
        else if (kind) this.move(kind, e.shiftKey ? -1 : 1);
        else return;
        e.preventDefault();
    }

    only() { return this.$("only").checked ? this.warp : NONE; }

    move(kind, direction) {
        this.pause();
        const to = this.moments.next(kind, this.step, direction, this.only());
        if (to === NONE) this.say(`There is no ${direction > 0 ? "later" : "earlier"} ${{split: "divergence", stop: "breakpoint", unset: "uninitialised read"}[kind] || kind}${this.only() === NONE ? "" : ` of warp ${this.warp}`}.`);
        else this.go(to);
    }

    play() {
        const rate = Number(this.$("speed").value), each = Math.max(1, Math.round(rate / 60));
        setText(this.$("play"), "❚❚ pause");
        this.timer = setInterval(() => {
            let to = this.step;
            for (let i = 0; i < each && to !== NONE; i++) {
                to = this.moments.nextInstruction(to, 1, this.only());
                if (to !== NONE && this.moments.stopsAtLine(to)) { this.pause(); break; }
            }
            if (to === NONE) this.pause(); else this.go(to, true);
        }, Math.max(16, 1000 / rate));
    }

    pause() {
        if (!this.timer) return;
        clearInterval(this.timer);
        this.timer = null;
        setText(this.$("play"), "▶ play");
        this.tell();
    }

    follow(warp) {
        this.warp = warp;
        this.show();
    }

    // Goes to STEP. With QUIET, does not announce the step while the page plays one step after
    // another.
    go(step, quiet) {
        this.step = Math.max(0, Math.min(this.r.steps - 1, step));
        const warp = this.r.warpOf[this.step];
        if (warp !== OPENED) this.warp = warp;
        this.show();
        if (!quiet || !this.timer) this.tell();
    }

    say(text) { setText(this.$("now"), text); }

    // --- showing a state -------------------------------------------------------------------------------------

    show() {
        const s = this.r.seek(this.step), lane = Math.max(0, Math.min(31, Number(this.$("lane").value) || 0));
        this.$("time").value = this.step;
        this.$("warp").value = String(this.warp);
        setText(this.$("register-warp"), String(this.warp));
        this.showSource();
        this.showInstructions();
        this.warps.show(s, this.step, this.warp);
        this.registers.show(s, this.step, this.warp, lane, this.$("hex").checked);
        this.variables.show(s, this.step, this.warp, lane, this.$("hex").checked);
        this.local.show(this.step, this.warp, lane, this.$("hex").checked);
        this.shared.show(this.step);
        this.global.show(this.step);
        this.access.show(this.step);
        this.showWatches(s, lane);
        if (this.timer) setText(this.$("now"), this.sentence());
    }

    sentence() {
        const r = this.r, step = this.step, head = `Step ${step} of ${r.steps - 1}`;
        if (step < 0) return `${plural(r.steps, "step")}; press F11 to begin.`;
        if (this.moments.isOpening(step)) return `${head}: the barrier opens, and the threads that waited there continue.`;
        const code = r.code[r.pcOf[step]], count = countOf(r.activeOf[step]);
        const lanes = r.activeOf[step] >>> 0 === 0xffffffff ? "all 32 lanes" : count === 0 ? "no lane" : `${plural(count, "lane")} (${lanesText(r.activeOf[step])})`;
        const split = r.splitOf[step] ? "; the lanes part here" : "";
        return `${head}: warp ${r.warpOf[step]}, line ${code.line}, ${lanes}${split}${this.moments.faults.sentence(step, this.names)}${this.moments.titlesAt(step).map(title => `; finding: ${title}`).join("")}`;
    }

    tell() { this.say(this.sentence()); }

    // Returns a map from each line at which warps stand to these warps.
    stands() {
        const stands = new Map();
        this.r.state.groups.forEach((groups, w) => groups.forEach(g => {
            const line = this.warps ? this.warps.lineOf(g) : 0;
            if (!stands.has(line)) stands.set(line, new Set());
            stands.get(line).add(w);
        }));
        return stands;
    }

    // Changes only lines that have a mark now or had one before.
    showSource() {
        const here = this.step >= 0 && !this.moments.isOpening(this.step) ? this.moments.codeAt(this.step) : null;
        const stands = this.stands(), found = new Set(this.moments.findings.map(f => f.finding.line)), others = this.moments.faults.otherLines(this.step), before = this.marked || [];
        const stops = [...this.moments.breakpoints].map(key => Number(key.slice(key.indexOf(":") + 1)));
        this.marked = new Set([...stands.keys(), ...found, ...stops, ...others, here && here.file === this.file ? here.line : 0]);
        for (const line of new Set([...before, ...this.marked])) {
            if (!this.lines[line - 1]) continue;
            const {row, stand} = this.lines[line - 1], isHere = here && here.line === line && here.file === this.file;
            setClass(row, `line${isHere ? " here" : ""}${found.has(line) ? " found" : ""}${others.has(line) ? " other" : ""}${this.moments.breakpoints.has(`${this.file}:${line}`) ? " stop" : ""}`);
            const warps = stands.get(line);
            setText(stand, !warps ? "" : warps.size === 1 ? `w${[...warps][0]}` : `${warps.size}w`);
            stand.title = warps ? `warps ${[...warps].join(", ")}` : "";
            if (isHere && this.shownLine !== line) this.scrollTo(row);
        }
        this.shownLine = here ? here.line : 0;
    }

    scrollTo(row) {
        const box = this.$("source");
        const top = row.offsetTop - box.offsetTop;
        if (top < box.scrollTop + 20 || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 2;
    }

    showInstructions() {
        const list = this.$("instructions"), r = this.r;
        const opening = this.step < 0 || this.moments.isOpening(this.step), pc = opening ? 0 : r.pcOf[this.step];
        const items = [];
        for (let i = Math.max(0, pc - 3); i < Math.min(r.code.length, Math.max(0, pc - 3) + 8); i++)
            items.push(element("li", i === pc && !opening ? "here" : "", `${String(i).padStart(4)}  ${r.code[i].text}`));
        list.replaceChildren(...items);
    }

    // --- watches ---------------------------------------------------------------------------------------------

    // Parses "%r5", "sums[3]", "data[7]" and "0x20000000". Returns null if the block does not use it.
    parseWatch(text) {
        const r = this.r, wanted = text.trim(), index = /^(.*)\[(\d+)\]$/.exec(wanted);
        const register = r.registers.find(x => x.name === wanted);
        if (register) return {text: wanted, register};
        let shared = true, addr = NONE;
        if (index) {
            const variable = this.names.shared.find(v => v.name === index[1]), block = this.names.blocks.find(b => (b.argument || b.name) === index[1]);
            if (variable) addr = variable.at + Number(index[2]) * variable.element;
            else if (block) { shared = false; addr = (block.argument ? block.argumentAt : block.at) + Number(index[2]) * block.element; }
        } else if (/^0x[0-9a-f]+$/i.test(wanted)) {
            shared = false;
            addr = Number(wanted);
        }
        const id = addr === NONE ? NONE : r.wordId(shared, addr, false);
        return id === NONE ? null : {text: wanted, id, shared, addr};
    }

    addWatch(text) {
        const watch = this.parseWatch(text), help = this.$("watch-help");
        if (!watch) {
            setText(help, `This block uses no register or memory called "${text}".`);
            return;
        }
        setText(help, "");
        watch.item = element("li");
        watch.value = element("span", "code");
        watch.item.append(watch.value, " ");
        if (watch.id !== undefined) {
            const label = element("label"), box = element("input");
            box.type = "checkbox";
            box.addEventListener("change", () => box.checked ? this.moments.words.add(watch.id) : this.moments.words.delete(watch.id));
            label.append(box, " stop when it changes ");
            watch.item.append(label);
            watch.stops = box;
        }
        const remove = element("button", "", "remove");
        remove.addEventListener("click", () => {
            this.moments.words.delete(watch.id);
            this.watches = this.watches.filter(w => w !== watch);
            watch.item.remove();
        });
        watch.item.append(remove);
        this.$("watches").append(watch.item);
        this.watches.push(watch);
        this.show();
    }

    showWatches(s, lane) {
        for (const w of this.watches) {
            const value = w.register ? this.names.register(s, this.warp, w.register, lane, this.$("hex").checked) || "unset"
                : this.names.elementAt(w.shared, w.addr, this.step);
            setText(w.value, `${w.text} = ${value}`);
        }
    }

    // --- where to begin --------------------------------------------------------------------------------------

    // Goes to the step that the address names: #step=120, #line=31 or #finding=31:race (the finding with this id on
    // line 31). Returns false if it names none.
    readHash() {
        const [, kind, value] = /^#(step|line|finding)=(.*)$/.exec(location.hash) || [];
        if (kind === "step") { this.go(Number(value) || 0); return true; }
        const [line, id] = decodeURIComponent(value || "").split(":");
        let to = NONE;
        if (kind === "finding") {
            const found = this.moments.findings.find(f => f.finding.line === Number(line) && (!id || f.finding.id === id));
            if (found && found.steps.length) to = found.steps[found.steps.length - 1];
        }
        if (kind && to === NONE)
            to = this.moments.find(-1, 1, i => !this.moments.isOpening(i) && this.moments.codeAt(i).line === Number(line));
        if (to !== NONE) this.go(to);
        return to !== NONE;
    }
}

// --- start ---------------------------------------------------------------------------------------------------

function showAbout(meta) {
    const name = meta.kernel, at = meta.cta.join(", ");
    document.getElementById("title").textContent = `Step through ${name}`;
    document.getElementById("about").textContent = `Block (${at}) of launch ${meta.launch}: ${plural(meta.threads, "thread")} in ${plural(meta.warps, "warp")}; the grid is ${meta.grid.join(" × ")} blocks of ${meta.block.join(" × ")} threads.`;
    const cut = document.getElementById("cut"), parts = [];
    if (meta.left_out) parts.push(`The block's first ${plural(meta.left_out, "warp instruction")} are left out.`);
    if (meta.cut) parts.push(`The recording is too long for a page and ends after ${plural(meta.steps, "step")}${meta.executed ? ` of ${plural(meta.executed, "warp instruction")}` : ""}. To see a later part, add FROM=${meta.left_out + meta.steps} (lanewise step --from ${meta.left_out + meta.steps}), or record a smaller launch.`);
    cut.textContent = parts.join(" ");
    cut.hidden = parts.length === 0;
}

async function unpack(text) {
    const letters = atob(text), packed = new Uint8Array(letters.length);
    for (let i = 0; i < packed.length; i++) packed[i] = letters.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Waits until the browser has painted the page, or a short time in a background page, which is never painted.
const painted = () => new Promise(done => { requestAnimationFrame(() => setTimeout(done, 0)); setTimeout(done, 100); });

async function start() {
    const meta = JSON.parse(document.getElementById("meta").textContent), now = document.getElementById("now");
    showAbout(meta);
    now.textContent = "Unpacking the recording …";
    const source = meta.sources.find(s => s !== null);
    if (source) document.getElementById("source").append(element("pre", "", source.text.slice(0, 20000)));
    await painted();
    const recording = new Recording(meta, await unpack(document.getElementById("data").textContent));
    while (!recording.decodeSome(12)) {
        now.textContent = `Unpacking the recording: ${Math.round(100 * recording.done / recording.steps)} %`;
        await new Promise(done => setTimeout(done, 0));
    }
    const view = new View(recording, meta.sources);
    globalThis.lanewise = view;
    if (!view.readHash()) {
        view.show();
        view.tell();
    }
    document.body.dataset.ready = "true";
}

start().catch(error => {
    document.getElementById("now").textContent = `The recording cannot be shown: ${error.message}`;
});
