// Finds steps in a recording: the next line, barrier, divergence, conflict, fault or breakpoint, and the steps at
// which a finding happens.
"use strict";

class Moments {
    constructor(recording, sources) {
        this.r = recording;
        this.sources = sources;
        this.breakpoints = new Set();  // "file:line"
        this.words = new Set();        // words of memory; the replay stops when one changes
        this.faults = new Faults(recording, this);
        this.findings = recording.meta.findings.map(f => this.locate(f));
        this.ofFindings = [...new Set(this.findings.flatMap(f => f.steps))].sort((a, b) => a - b);
    }

    isOpening(step) { return this.r.warpOf[step] === OPENED; }
    codeAt(step) { return this.r.code[this.r.pcOf[step]]; }
    placeAt(step) {
        const code = this.codeAt(step);
        return `${code.file}:${code.line}`;
    }

    // Returns the next step in DIRECTION (1 or -1) that TEST accepts, or NONE.
    find(step, direction, test) {
        for (let i = step + direction; i >= 0 && i < this.r.steps; i += direction) if (test(i)) return i;
        return NONE;
    }

    // Returns whether the step belongs to the line of PLACE, which is a finding or a related place.
    isAt(place, step) {
        return !this.isOpening(step) && this.isLine(place, this.codeAt(step));
    }

    isLine(place, code) { return code.line === place.line && this.isFile(code.file, place.file); }

    // Finds the next step of warp ONLY or, if ONLY is NONE, of any warp.
    nextInstruction(step, direction, only) {
        return this.find(step, direction, i => only === NONE || this.r.warpOf[i] === only);
    }

    nextLine(step, direction, only) {
        const start = step >= 0 && !this.isOpening(step) ? `${this.r.warpOf[step]} ${this.placeAt(step)}` : "";
        const differs = i => !this.isOpening(i) && this.codeAt(i).line > 0 &&
            (only === NONE || this.r.warpOf[i] === only) && `${this.r.warpOf[i]} ${this.placeAt(i)}` !== start;
        const found = this.find(step, direction, differs);
        if (found === NONE || direction > 0) return found;
        return this.startOfLine(found);
    }

    // Returns the first step of the current line: going back from STEP, the last step at which the
    // same warp still executes the same line.
    startOfLine(step) {
        const place = this.placeAt(step), warp = this.r.warpOf[step];
        while (step > 0 && this.r.warpOf[step - 1] === warp && this.placeAt(step - 1) === place) step--;
        return step;
    }

    isBarrier(step) {
        return this.isOpening(step) || /^(@\S+ )?(bar|barrier)\./.test(this.codeAt(step).text);
    }

    isConflict(step) {
        const r = this.r;
        for (let a = r.firstAccess[step]; a < r.firstAccess[step + 1]; a++)
            if (r.accesses.cost.data[a] > r.accesses.ideal.data[a] || this.collides(a)) return true;
        return false;
    }

    // Returns whether lanes of an atomic operation wait for each other at the same word.
    collides(access) {
        const a = this.r.accesses;
        if (a.kind.data[access] < KIND.atomic) return false;
        const seen = new Set(), mask = a.mask.data[access];
        for (let l = 0; l < WARP; l++) {
            if (!(mask >>> l & 1)) continue;
            const addr = a.addr.data[access * WARP + l];
            if (seen.has(addr)) return true;
            seen.add(addr);
        }
        return false;
    }

    // Returns the first line of FILE, from LINE on, that has code, or NONE.
    lineWithCode(file, line) {
        const lines = this.r.code.filter(c => c.file === file && c.line >= line).map(c => c.line);
        return lines.length === 0 ? NONE : Math.min(...lines);
    }

    // Returns whether the warp enters a line with a breakpoint at this step.
    stopsAtLine(step) {
        if (this.isOpening(step) || !this.breakpoints.has(this.placeAt(step))) return false;
        return step === 0 || this.isOpening(step - 1) || this.r.warpOf[step - 1] !== this.r.warpOf[step] ||
            this.placeAt(step - 1) !== this.placeAt(step);
    }

    nextStop(step, direction, only) {
        const line = this.breakpoints.size === 0 ? NONE
            : this.find(step, direction, i => this.stopsAtLine(i) && (only === NONE || this.r.warpOf[i] === only));
        const changes = [...this.words].map(id => this.r.nextChange(id, step, direction));
        const all = [line, ...changes].filter(i => i !== NONE);
        return all.length === 0 ? NONE : direction > 0 ? Math.min(...all) : Math.max(...all);
    }

    next(kind, step, direction, only) {
        const mine = i => only === NONE || this.isOpening(i) || this.r.warpOf[i] === only;
        switch (kind) {
        case "instruction": return this.nextInstruction(step, direction, only);
        case "line": return this.nextLine(step, direction, only);
        case "barrier": return this.find(step, direction, i => mine(i) && this.isBarrier(i));
        case "split": return this.find(step, direction, i => mine(i) && this.r.splitOf[i] === 1);
        case "conflict": return this.find(step, direction, i => mine(i) && this.isConflict(i));
        case "race": return this.find(step, direction, i => mine(i) && this.faults.isRace(i));
        case "unset": return this.find(step, direction, i => mine(i) && this.faults.readsUnset(i));
        case "stop": return this.nextStop(step, direction, only);
        default: {
            const steps = direction > 0 ? this.ofFindings : this.ofFindings.slice().reverse();
            const found = steps.find(i => direction > 0 ? i > step : i < step);
            return found === undefined ? NONE : found;
        }
        }
    }

    // Returns the titles of the findings that happen at STEP. Races and uninitialised reads are left out if Faults
    // describes them.
    titlesAt(step) {
        const isFault = finding => finding.severity === "error" && this.isAt(finding, step) && this.r.faults.some(f => f.step === step);
        const list = this.findings.filter(({finding, steps}) => steps.includes(step) || isFault(finding))
            .filter(({finding}) => !(finding.id.startsWith("race-") && this.faults.isRace(step)) &&
                !(finding.id === "uninitialised-read" && this.faults.readsUnset(step)));
        return [...new Set(list.map(({finding}) => finding.title || finding.id))];
    }

    // --- findings --------------------------------------------------------------------------------------------

    isFile(index, name) {
        const path = this.r.meta.files[index], source = this.sources[index];
        const last = text => text.slice(text.lastIndexOf("/") + 1);
        return path === name || (source !== null && source.name === name) || last(path) === last(name);
    }

    // Finds the steps at which a finding happens, at most two, and the two accesses of a race.
    locate(finding) {
        const r = this.r, pair = this.faults.firstRace(finding);
        let steps = pair ? [...new Set([pair.first.step, pair.second.step])] : [];
        if (steps.length === 0) {
            const fault = r.faults.find(f => this.isAt(finding, f.step));
            if (fault) steps = [fault.step];
        }
        if (steps.length === 0 && finding.id === "uninitialised-read") {
            const unset = this.find(-1, 1, i => this.isAt(finding, i) && r.unset.has(i));
            if (unset !== NONE) steps = [unset];
        }
        if (steps.length === 0 && finding.severity === "warning") {
            const worst = this.find(-1, 1, i => this.isAt(finding, i) && (this.isConflict(i) || r.splitOf[i] === 1));
            if (worst !== NONE) steps = [worst];
        }
        if (steps.length === 0) {
            const first = this.find(-1, 1, i => this.isAt(finding, i) && r.firstAccess[i + 1] > r.firstAccess[i]);
            const any = first === NONE ? this.find(-1, 1, i => this.isAt(finding, i)) : first;
            if (any !== NONE) steps = [any];
        }
        return {finding, steps, pair};
    }
}
