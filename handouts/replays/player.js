// Plays the replays of a page. replay.py wrote their HTML, which shows one moment, and the others as data; it also
// describes the data. Everything else here is buttons.
"use strict";

class Player {
    constructor(run) {
        const data = JSON.parse(run.querySelector("script").textContent), all = query => [...run.querySelectorAll(query)];
        this.moments = data.moments;
        this.threads = data.threads;
        this.now = run.querySelector(".now");
        this.lines = all("pre.code > span");
        this.lanes = all(".lanes .cells").map(row => [...row.children]);
        this.rows = all(".shared, .global").map(row => ({isGlobal: row.classList.contains("global"), cells: [...row.querySelectorAll("i")]}));
        this.timer = 0;
        this.addControls(run);
        this.show(data.at);
    }

    addControls(run) {
        const bar = document.createElement("div");
        bar.className = "controls";
        const button = (text, label, act) => {
            const b = document.createElement("button");
            b.type = "button";
            b.textContent = text;
            b.setAttribute("aria-label", label);
            b.addEventListener("click", act);
            bar.append(b);
            return b;
        };
        const kernel = run.getAttribute("aria-label");
        button("|◀", `${kernel}: to the beginning`, () => this.go(0));
        button("◀", `${kernel}: one moment back`, () => this.go(this.at - 1));
        this.play = button("▶▶", `${kernel}: play`, () => this.timer ? this.pause() : this.start());
        button("▶", `${kernel}: one moment forward`, () => this.go(this.at + 1));
        this.slider = document.createElement("input");
        Object.assign(this.slider, {type: "range", min: 0, max: this.moments.length - 1});
        this.slider.setAttribute("aria-label", `${kernel}: moment`);
        this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
        bar.append(this.slider);
        this.now.before(bar);
        this.now.setAttribute("role", "status");
    }

    start() {
        if (this.at === this.moments.length - 1) this.show(0);
        this.play.textContent = "❚❚";
        this.now.removeAttribute("role"); // a screen reader could not keep up
        this.timer = setInterval(() => this.at < this.moments.length - 1 ? this.show(this.at + 1) : this.pause(), 600);
    }

    pause() {
        clearInterval(this.timer);
        this.timer = 0;
        this.play.textContent = "▶▶";
        this.now.setAttribute("role", "status");
    }

    go(at) {
        this.pause();
        this.show(at);
    }

    show(at) {
        this.at = Math.max(0, Math.min(this.moments.length - 1, at));
        const values = new Map(), stand = {}, moment = this.moments[this.at];
        for (const {set, stand: changed} of this.moments.slice(0, this.at + 1)) {
            for (const [cell, text] of set) values.set(cell, text);
            Object.assign(stand, changed);
        }
        this.now.textContent = `Moment ${this.at + 1} of ${this.moments.length}. ${moment.say}`;
        this.slider.value = this.at;
        this.slider.setAttribute("aria-valuetext", this.now.textContent);
        this.lines.forEach((line, i) => { line.className = i === moment.line ? "here" : ""; });
        this.lanes.forEach((cells, warp) => cells.forEach((cell, lane) => { cell.className = this.laneClass(moment, warp, lane, stand); }));
        this.showMemory(moment, values);
    }

    laneClass(moment, warp, lane, stand) {
        if (32 * warp + lane >= this.threads) return "none";
        if (moment.warp === warp && moment.on >>> lane & 1) return "on";
        if (!stand[warp]) return "";
        const at = stand[warp].findIndex(mask => mask >>> lane & 1);
        return at < 0 ? "gone" : ["ready", "wait", "side"][at];
    }

    showMemory(moment, values) {
        const touched = new Set(moment.touch);
        let number = 0;
        for (const {isGlobal, cells} of this.rows) {
            const first = number, size = cells.length / 4; // a sector is a quarter of a row
            const sectors = new Set(moment.touch.map(cell => Math.floor((cell - first) / size)));
            for (const [i, cell] of cells.entries()) {
                cell.className = [cells.length < 32 && "wide", values.has(number) && "set",
                    touched.has(number) && (moment.writes ? "writes" : "reads"),
                    isGlobal && sectors.has(Math.floor(i / size)) && "lit"].filter(Boolean).join(" ");
                cell.textContent = values.get(number++) || "";
            }
        }
    }
}

for (const run of document.querySelectorAll(".replay .run")) run.player = new Player(run);
