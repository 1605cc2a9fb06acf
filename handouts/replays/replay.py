#!/usr/bin/env -S python3 -B
"""Writes the HTML of replays: small players that show what a block does, moment by moment.

    replay.py AT HIDDEN FOLDER/NAME ...

FOLDER/NAME.html is the page that `lanewise step` wrote for a launch, and FOLDER/NAME.states has the machine's state
after each step (gpu/observe/step_dump.c). A replay keeps the steps that matter, its moments: accesses to memory,
barriers, and branches where lanes part. The HTML shows moment AT, for print and for readers without scripts, and has
the others as data for player.js. HIDDEN=yes leaves out the source, because it is the answer of an exercise.

A replay's cells are numbered in the order in which they stand in the HTML. A moment in the data is
    {"step", "say": text, "line": index of the source line or -1, "warp", "on": lanes that ran, as a mask,
     "stand": {warp: [lanes that are ready, wait at a barrier, wait for other lanes]} if that has changed,
     "touch": [numbers of cells], "writes": boolean, "set": [[cell, text]]: new values}.
"""
import html
import json
import os
import re
import struct
import sys

LANES, SECTOR_WORDS = 32, 8
GLOBAL, SHARED = 0, 1
LOAD = 0
MOST_BYTES = 60_000  # of a replay's HTML


class Array:
    """Elements of global or shared memory that the block accesses."""

    def __init__(self, name, space, at, size):
        self.name, self.space, self.at, self.size = name, space, at, size
        self.bytes, self.is_float, self.used = 4, False, set()

    def has(self, space, addr):
        return space == self.space and self.at <= addr < self.at + self.size

    def rows(self):
        """The addresses of the lines of 128 bytes that are used; in shared memory a line has one word of each bank."""
        return sorted({addr // 128 * 128 for addr in self.used})


class Launch:
    """A recorded launch: its page's document, and the machine's states."""

    def __init__(self, path):
        with open(path + ".html", encoding="utf-8") as page:
            self.meta = json.loads(re.search(r'id="meta">(.*?)</script>', page.read(), re.S).group(1))
        with open(path + ".states", encoding="utf-8") as states:
            self.states = [json.loads(line) for line in states]
        self.name = os.path.basename(path)
        meta = self.meta
        if meta["cut"] or len(self.states) != meta["steps"]:
            sys.exit(f"{path}: {len(self.states)} states for {meta['steps']} steps")
        if not re.search(rf"\b{self.name}\b", meta["kernel"]):
            sys.exit(f"{path}: the launch is one of {meta['kernel']}")
        self.find_source()
        self.find_arrays()

    def find_source(self):
        """Sets the kernel's lines, the number of the first of them, and its parameters' names."""
        index, text = next((i, s["text"]) for i, s in enumerate(self.meta["sources"]) if s)
        lines = text.split("\n")
        self.first = next(i for i, line in enumerate(lines) if re.search(rf"__global__.*\b{self.name}\(", line))
        self.lines = lines[self.first:lines.index("}", self.first) + 1]
        self.file = os.path.relpath(self.meta["files"][index])
        signature = " ".join(self.lines).split("(", 1)[1].split(")")[0]
        self.parameters = [re.search(r"(\w+)\s*$", one).group(1) for one in signature.split(",")]

    def find_arrays(self):
        pointers = dict(zip(self.meta["arguments"], self.parameters))
        blocks = [Array(pointers[b["at"]], GLOBAL, b["at"], b["bytes"]) for b in self.meta["memory"] if b["at"] in pointers]
        shared = [Array(v["name"], SHARED, v["at"], v["bytes"]) for v in self.meta["shared"]]
        for state in self.states:
            for access in state["accesses"]:
                array = next((a for a in shared + blocks if a.has(access["space"], access["addr"][0])), None)
                access["array"] = array
                if array:
                    array.bytes, array.is_float = access["bytes"], ".f32" in self.meta["code"][state["pc"]][0]
                    array.used.update(access["addr"])
        self.arrays = [a for a in shared + blocks if a.used]


def element_text(array, words):
    """A value of ARRAY in few letters."""
    if array.bytes == 8:
        return str(words[0] + (words[1] << 32))
    if not array.is_float:
        return str(struct.unpack("<i", struct.pack("<I", words[0]))[0])
    value = struct.unpack("<f", struct.pack("<I", words[0]))[0]
    texts = [re.sub(r"^(-?)0\.", r"\1.", f"{value:.{digits}g}") for digits in (4, 3, 2, 1)]
    return next((text for text in texts if len(text) <= 4), texts[-1])


class Replay:
    """The moments of a launch."""

    def __init__(self, launch, hidden):
        self.launch, self.hidden = launch, hidden
        self.cells, self.rows = {}, []  # the number of the cell at (space, address); (array, address) of each row
        for array in launch.arrays:
            for addr in array.rows():
                self.rows.append((array, addr))
                for at in range(addr, addr + 128, array.bytes):
                    self.cells[array.space, at] = len(self.cells)
        self.written, self.groups, self.stand, self.moments = set(), [[] for _ in range(launch.meta["warps"])], {}, []
        for state in launch.states:
            self.add(state)

    def add(self, state):
        """Adds a moment if something happens in this step that is worth a look."""
        last = state["step"] == len(self.launch.states) - 1
        accesses = [a for a in state["accesses"] if a["array"]]
        split = not state.get("opened") and 0 < len(self.groups[state["warp"]]) < len(state["groups"][state["warp"]])
        self.groups = state["groups"]
        if not (last or split or accesses or state.get("opened") or self.waits(state)):
            return
        moment = {"step": state["step"], "say": self.sentence(state, accesses, split, last), "line": -1, "warp": -1, "on": 0, "touch": [], "writes": False}
        if not state.get("opened"):
            line = self.launch.meta["code"][state["pc"]][2] - 1 - self.launch.first
            visible = not self.hidden and 0 <= line < len(self.launch.lines)
            moment.update(line=line if visible else -1, warp=state["warp"], on=state["active"])
        for access in accesses:
            moment["touch"] += sorted({self.cells[access["space"], addr] for addr in access["addr"]})
            moment["writes"] |= access["kind"] != LOAD
        moment["set"] = self.new_values(state, accesses)
        moment["stand"] = self.new_stand(state)
        self.moments.append(moment)

    def waits(self, state):
        text = self.launch.meta["code"][state["pc"]][0]
        return re.match(r"(@\S+ )?bar(rier)?\.", text) is not None

    def new_values(self, state, accesses):
        """What the accessed cells hold now. An uninitialised word of shared memory has no value."""
        values = {}
        memory = dict(state["global"])
        for access in accesses:
            space, array = access["space"], access["array"]
            for addr in access["addr"]:
                if space == SHARED:
                    if access["kind"] != LOAD:
                        self.written.add(addr)
                    memory[addr] = state["shared"][addr // 4] if addr in self.written else None
                words = [memory.get(addr), memory.get(addr + 4, 0)]
                if words[0] is not None:
                    values[self.cells[space, addr]] = element_text(array, words)
        return sorted(values.items())

    def new_stand(self, state):
        changed = {}
        for warp, groups in enumerate(state["groups"]):
            masks = [sum(g[0] for g in groups if g[2] == 0), sum(g[0] for g in groups if g[2] == 1),
                     sum(g[0] for g in groups if g[2] > 1)]
            begun = groups or warp in self.stand or warp == state.get("warp")
            if begun and self.stand.get(warp) != masks:
                self.stand[warp] = changed[warp] = masks
        return changed

    # --- words ------------------------------------------------------------------------------------

    def sentence(self, state, accesses, split, last):
        if state.get("opened"):
            return "All threads have reached the barrier: it opens."
        line = "" if self.hidden else f" in line {self.launch.meta['code'][state['pc']][2]}"
        head = f"Warp {state['warp']}{line}: "
        if accesses:
            return head + "; ".join(self.access_text(access) for access in accesses) + "."
        if split:
            groups = sorted(state["groups"][state["warp"]], key=lambda group: group[2])
            count = bin(groups[0][0]).count("1")
            return head + f"the lanes part. {count} go on, the others wait for them."
        if last and not self.waits(state):
            return "The block has ended."
        return head + "waits at the barrier."

    @staticmethod
    def lanes(mask):
        count = bin(mask).count("1")
        return "1 lane" if count == 1 else f"{count} lanes"

    def access_text(self, access):
        array, count = access["array"], bin(access["mask"]).count("1")
        verb = {0: "read", 1: "write"}.get(access["kind"], "update") + ("s" if count == 1 else "")
        text = f"{self.lanes(access['mask'])} {verb} {self.elements(access)} of {array.name}"
        if access["cost"]:
            unit = ("sector" if array.space == GLOBAL else "pass") + ("" if access["cost"] == 1 else "s" if array.space == GLOBAL else "es")
            ideal = f", but {access['ideal']} would be enough" if access["cost"] > access["ideal"] else ""
            text += f", in {access['cost']} {unit}{ideal}"
        unset = {addr for addr in access["addr"] if addr not in self.written} if array.space == SHARED and access["kind"] == LOAD else ()
        return text + (f". No thread has written {'them' if len(unset) > 1 else 'it'} yet" if unset else "")

    @staticmethod
    def elements(access):
        """The elements that the lanes access: element 0; elements 0 and 8; elements 0, 8, … 248."""
        at = list(dict.fromkeys((addr - access["array"].at) // access["bytes"] for addr in access["addr"]))
        if len(at) == 1:
            return f"element {at[0]}"
        if len(at) <= 4:
            return f"elements {', '.join(map(str, at[:-1]))} and {at[-1]}"
        return f"elements {at[0]}, {at[1]}, … {at[-1]}"


# --- HTML -------------------------------------------------------------------------------------------------------


def state_at(replay, at):
    """The values of the cells and the places of the warps' lanes at a moment, as player.js makes them."""
    values, stand = {}, {}
    for moment in replay.moments[:at + 1]:
        values.update(moment["set"])
        stand.update(moment["stand"])
    return values, stand


def lane_class(moment, warp, lane, stand, threads):
    if warp * LANES + lane >= threads:
        return "none"
    if moment["warp"] == warp and moment["on"] >> lane & 1:
        return "on"
    if warp not in stand:
        return ""
    return next((name for name, mask in zip(("ready", "wait", "side"), stand[warp]) if mask >> lane & 1), "gone")


def attribute(name):
    return f' class="{name}"' if name else ""


def cell(name, text=""):
    return f"<i{attribute(name)}>{text}</i>"


def row_html(label, cells, kind, at=""):
    return f'<div class="row {kind}"{at}><span>{label}</span><div class="cells">{"".join(cells)}</div></div>'


def memory_row(replay, moment, values, array, addr):
    touched = set(moment["touch"])
    numbers = [replay.cells[array.space, at] for at in range(addr, addr + 128, array.bytes)]
    first, size = numbers[0], SECTOR_WORDS * 4 // array.bytes
    sectors = {(number - first) // size for number in touched} if array.space == GLOBAL else set()
    cells = []
    for number in numbers:
        names = ["wide"] if array.bytes == 8 else []
        names += ["set"] if number in values else []
        names += [("writes" if moment["writes"] else "reads")] if number in touched else []
        names += ["lit"] if (number - first) // size in sectors else []
        cells.append(cell(" ".join(names), values.get(number, "")))
    label = f"{array.name} {(addr - array.at) // array.bytes}"
    return row_html(label, cells, "global" if array.space == GLOBAL else "shared", f' data-at="{addr}"')


def source_html(launch, here):
    rows = [f"<span{attribute('here' if i == here else '')}>{launch.first + 1 + i:4}  {html.escape(line)}\n</span>"
            for i, line in enumerate(launch.lines)]
    return f'<pre class="code" tabindex="0">{"".join(rows)}</pre>'


def replay_html(replay, at):
    launch, moment = replay.launch, replay.moments[at]
    values, stand = state_at(replay, at)
    parts = [f'<div class="run" role="group" aria-label="Replay of {launch.name}">']
    first, last = launch.first + 1, launch.first + len(launch.lines)
    where = "" if replay.hidden else f" in <code>{html.escape(launch.file)}</code>, lines {first}–{last}"
    parts.append(f'<p class="where"><b><code>{launch.name}</code></b>{where}</p>')
    if not replay.hidden:
        parts.append(source_html(launch, moment["line"]))
    parts.append(f'<p class="now">{moment_text(replay, at)}</p><div class="grid" aria-hidden="true">')
    for warp in range(launch.meta["warps"]):
        cells = [cell(lane_class(moment, warp, lane, stand, launch.meta["threads"])) for lane in range(LANES)]
        parts.append(row_html(f"warp {warp}", cells, "lanes"))
    if any(array.space == SHARED for array, _ in replay.rows):
        parts.append(row_html("bank", [cell("", bank) for bank in range(LANES)], "banks"))
    parts += [memory_row(replay, moment, values, array, addr) for array, addr in replay.rows]
    data = json.dumps({"at": at, "threads": launch.meta["threads"], "moments": replay.moments}, separators=(",", ":"), ensure_ascii=False)
    data = data.replace("<", r"\u003c")
    parts.append(f'</div><script type="application/json">{data}</script></div>')
    text = "".join(parts)
    if len(text) > MOST_BYTES:
        sys.exit(f"{launch.name}: a replay of {len(text)} bytes; at most {MOST_BYTES} are allowed")
    return text


def moment_text(replay, at):
    return f"Moment {at + 1} of {len(replay.moments)}. {html.escape(replay.moments[at]['say'])}"


def main():
    at, hidden = sys.argv[1], sys.argv[2] == "yes"
    for path in sys.argv[3:]:
        replay = Replay(Launch(path), hidden)
        print(replay_html(replay, min(int(at), len(replay.moments)) - 1))


main()
