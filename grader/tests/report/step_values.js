// Runs in a copy of a page that steps through a launch. Elements that are not 4 bytes long, words that nobody has
// written, and accesses that fail are shown as what they are.
"use strict";

async function readValues() {
    while (!document.body.dataset.ready) await new Promise(done => setTimeout(done, 20));
    const view = lanewise, r = view.r, failed = [], $ = id => document.getElementById(id);
    const expect = (have, want) => { if (!have.includes(want)) failed.push(`"${want}" is not in "${have.slice(0, 300)}"`); };
    const at = (line, kind) => view.moments.find(-1, 1, i => !view.moments.isOpening(i) && view.moments.codeAt(i).line === line &&
        r.firstAccess[i + 1] > r.firstAccess[i] && r.accesses.kind.data[r.firstAccess[i]] === KIND[kind]);
    const access = (line, kind) => { view.go(at(line, kind)); return $("access").textContent; };

    expect(access(6, "load"), "5: bytes[5] = 205");
    expect(access(7, "load"), "5: signs[5] = -51");
    expect(access(8, "load"), "3: halves[3] = 1e+100");
    expect(access(9, "load"), "2: four[8..11] = 8, 9, 10, 11");
    expect(access(10, "load"), "31: row[1] = unset");
    expect(access(10, "load"), "0: row[32] = 0");
    expect(access(11, "store"), "0: big[0] = 4.5e+10");
    expect(access(11, "store"), "1: big[1] = -0");
    view.go(r.faults.length ? r.faults[0].step : 0);
    expect($("access").textContent, "31: 0x7c: fault");
    expect($("now").textContent, "fault in lanes 0-31;");

    $("watch-what").value = "bytes[6]";
    $("watch-form").dispatchEvent(new Event("submit", {cancelable: true}));
    expect($("watches").textContent, "bytes[6] = 206");

    const box = $("only"), key = new KeyboardEvent("keydown", {key: " ", bubbles: true, cancelable: true});
    if (!box.dispatchEvent(key) || view.timer) failed.push("the space key turns a checkbox");
    const button = document.querySelector("#registers tr:not([hidden]) button");
    button.click();
    if (button.getAttribute("aria-expanded") !== "true") failed.push("a register's button shows all lanes");
    return `values: ${failed.length} failed${failed.length ? `: ${failed.join("; ")}` : ""}`;
}

readValues().catch(e => `values: ${e.stack}`).then(text => parent.postMessage(text, "*"));
