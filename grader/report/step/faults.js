// Finds the accesses that race and the reads of memory that nothing has written.
"use strict";

const MOST_COMPARED = 256;     // an access is compared with at most this many accesses to the same word
const MOST_COLLECTED = 300000; // the search between two barriers ends after this many accesses

class Faults {
    constructor(recording, moments) {
        this.r = recording;
        this.moments = moments;
        // The findings of racecheck. `sides` has a number for each instruction: see sidesOf().
        this.races = recording.meta.findings.filter(f => f.id.startsWith("race-"))
            .map(finding => ({finding, sides: recording.code.map(code => this.sidesOf(finding, code))}));
        this.openings = [];
        for (let step = 0; step < recording.steps; step++) if (moments.isOpening(step)) this.openings.push(step);
        this.synchronises = recording.code.map(code => /^(@\S+ )?\w+(\.\w+)*\.sync\b/.test(code.text));
        this.found = new Map(); // the races between two barriers, by their first step
    }

    // --- uninitialised reads ---------------------------------------------------------------------------------

    // Returns the mask of the lanes that read uninitialised memory at this step.
    unsetLanes(step) { return step < 0 ? 0 : this.r.unset.get(step) || 0; }

    readsUnset(step) { return this.unsetLanes(step) !== 0; }

    // --- races -----------------------------------------------------------------------------------------------

    // Returns the races of this step. Each lane that takes part has an object {finding, mine,
    // other}: MINE is the lane's own access, and OTHER is the access of another thread. An access
    // is {step, warp, lane, id of the word, writes, atomic}.
    racesAt(step) {
        if (step < 0 || this.moments.isOpening(step) || !this.races.some(f => f.sides[this.r.pcOf[step]])) return [];
        return this.racesAround(step).get(step) || [];
    }

    // Returns the races of all steps between the barriers before and after STEP, by step.
    racesAround(step) {
        const [from, to] = this.stretch(step);
        if (!this.found.has(from)) this.found.set(from, this.findRaces(from, to));
        return this.found.get(from);
    }

    racingLanes(step) { return this.racesAt(step).reduce((mask, race) => mask | 1 << race.mine.lane, 0); }

    isRace(step) { return this.racesAt(step).length > 0; }

    // Returns the first step after the barrier before STEP, and the step at which the next barrier opens.
    stretch(step) {
        let low = 0, high = this.openings.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.openings[middle] <= step) low = middle + 1; else high = middle;
        }
        return [low > 0 ? this.openings[low - 1] + 1 : 0, low < this.openings.length ? this.openings[low] : this.r.steps];
    }

    // Returns the two accesses of the first race of FINDING in this block, in order of time, or null if there is none.
    firstRace(finding) {
        for (const start of [0, ...this.openings.map(step => step + 1)]) {
            if (start >= this.r.steps || !this.races.some(f => f.finding === finding)) continue;
            for (const list of this.racesAround(start).values())
                for (const race of list) {
                    const [first, second] = race.mine.step <= race.other.step ? [race.mine, race.other] : [race.other, race.mine];
                    if (race.finding === finding) return {first, second, id: first.id};
                }
        }
        return null;
    }

    // Returns 1 if the instruction is on the line of the finding, 2 if it is on the line of the other access, 3 if it
    // is on both, and 0 if it is on neither.
    sidesOf(finding, code) {
        const other = (finding.related || []).find(r => !r.message);
        return (this.moments.isLine(finding, code) ? 1 : 0) | (other && this.moments.isLine(other, code) ? 2 : 0);
    }

    findRaces(from, to) {
        const races = new Map();
        for (const {finding, sides} of this.races)
            for (const list of this.accesses(sides, from, to).values()) {
                if (!list.some(a => a.writes)) continue;
                for (const mine of list) {
                    const other = this.opponent(mine, list);
                    if (!other) continue;
                    if (!races.has(mine.step)) races.set(mine.step, []);
                    races.get(mine.step).push({finding, mine, other});
                }
            }
        return races;
    }

    // Collects all accesses of a finding's lines, by word. `phase` counts the instructions that synchronise the warp.
    accesses(sidesOf, from, to) {
        const r = this.r, a = r.accesses, words = new Map(), phases = new Uint32Array(WARP);
        let count = 0;
        for (let step = from; step < to && count < MOST_COLLECTED; step++) {
            if (this.moments.isOpening(step)) continue;
            const warp = r.warpOf[step], sides = sidesOf[r.pcOf[step]];
            if (this.synchronises[r.pcOf[step]]) phases[warp]++;
            for (let i = sides ? r.firstAccess[step] : 0; sides && i < r.firstAccess[step + 1]; i++) {
                const shared = a.space.data[i] === SPACE.shared, kind = a.kind.data[i];
                for (let l = 0; l < WARP; l++) {
                    const id = a.mask.data[i] >>> l & 1 ? r.wordId(shared, a.addr.data[i * WARP + l], false) : NONE;
                    if (id === NONE) continue;
                    count++;
                    if (!words.has(id)) words.set(id, []);
                    words.get(id).push({step, warp, lane: l, id, sides, phase: phases[warp], writes: kind !== KIND.load, atomic: kind >= KIND.atomic});
                }
            }
        }
        return words;
    }

    // Finds an access in LIST by another thread, if no synchronisation orders it with MINE.
    opponent(mine, list) {
        return list.slice(0, MOST_COMPARED).find(other => (other.warp !== mine.warp || (other.lane !== mine.lane && other.phase === mine.phase)) &&
            (other.writes || mine.writes) && !(other.atomic && mine.atomic) &&
            (other.sides & 1 && mine.sides & 2 || other.sides & 2 && mine.sides & 1));
    }

    // Returns the mask of the lanes of warp W that have a fault at this step.
    failedLanes(step, w) {
        return this.r.faults.filter(f => f.step === step && f.warp === w).reduce((mask, f) => mask | 1 << f.lane, 0);
    }

    faultTexts(step) {
        const warps = [...new Set(this.r.faults.filter(f => f.step === step).map(f => f.warp))];
        return warps.map(w => `fault in ${lanesOf(this.failedLanes(step, w))}${w === this.r.warpOf[step] ? "" : ` of warp ${w}`}`);
    }

    // --- text ------------------------------------------------------------------------------------------------

    // Says what is wrong at this step, as the end of the sentence about the step, or "" if nothing is.
    sentence(step, names) {
        const races = this.racesAt(step), unset = this.unsetLanes(step), parts = this.faultTexts(step);
        if (races.length) {
            const {mine, other} = races[0], lanes = this.racingLanes(step);
            parts.push(`race in ${lanesOf(lanes)}: nothing orders lane ${mine.lane} and ${this.thread(other, mine)}, which both use ${this.word(mine.id, names)}`);
        }
        if (unset) parts.push(`uninitialised read in ${lanesOf(unset)}`);
        return parts.map(part => `; ${part}`).join("");
    }

    // Returns a map from each word with a fault at this step to "race" or, for an uninitialised read, "unset".
    wordsAt(step) {
        if (this.latest && this.latest.step === step) return this.latest.words;
        const r = this.r, a = r.accesses, words = new Map(), unset = this.unsetLanes(step);
        for (let i = unset ? r.firstAccess[step] : 0; unset && i < r.firstAccess[step + 1]; i++)
            for (let l = 0; l < WARP; l++) {
                if (!(a.mask.data[i] & unset & 1 << l) || a.kind.data[i] === KIND.store) continue;
                const id = r.wordId(a.space.data[i] === SPACE.shared, a.addr.data[i * WARP + l], false);
                if (id !== NONE && r.writingWarp(id, step - 1) === NONE) words.set(id, "unset");
            }
        for (const race of this.racesAt(step)) words.set(race.mine.id, "race");
        this.latest = {step, words}; // several panels ask for the same step
        return words;
    }

    // Returns the mask of the lanes of warp W that take part in this step's races, on either side.
    lanesOfRaces(step, w) {
        let mask = 0;
        for (const {mine, other} of this.racesAt(step))
            for (const side of [mine, other]) if (side.warp === w) mask |= 1 << side.lane;
        return mask;
    }

    // Returns the lines of the accesses that race with those of this step.
    otherLines(step) { return new Set(this.racesAt(step).map(race => this.moments.codeAt(race.other.step).line)); }

    word(id, names) {
        const shared = id < this.r.sharedWords;
        return names.word(shared, shared ? 4 * id : this.r.addresses.data[id - this.r.sharedWords]);
    }

    thread(access, mine) {
        return access.warp === mine.warp ? `lane ${access.lane}` : `lane ${access.lane} of warp ${access.warp}`;
    }

    // Describes both accesses of a race, and how to order them.
    raceText({finding, mine, other}, names) {
        const does = a => a.atomic ? "updates" : a.writes ? "writes" : "reads";
        const when = other.step === mine.step ? "in this step, too" : `in step ${other.step}, line ${this.moments.codeAt(other.step).line}`;
        return `Race on ${this.word(mine.id, names)}: lane ${mine.lane} ${does(mine)} it here, and ${this.thread(other, mine)} ${does(other)} it ${when}. Nothing orders the two accesses. Help: ${finding.help || this.orderText(mine, other)}.`;
    }

    orderText(mine, other) {
        if (mine.step === other.step) return "let one thread write the word, or use an atomic operation";
        return mine.warp === other.warp ? "put a __syncwarp() or a __syncthreads() between the two accesses"
            : "put a __syncthreads() between the two accesses, in a place that all threads of the block reach";
    }
}
