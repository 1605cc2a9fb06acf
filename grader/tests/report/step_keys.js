// Runs in a copy of a page that steps through a launch with a race. Uses it as a reader does, with keys, buttons,
// breakpoints and a watch, and reports each check that fails.
"use strict";

async function useIt() {
    while (!document.body.dataset.ready) await new Promise(done => setTimeout(done, 20));
    const view = lanewise, r = view.r, failed = [], $ = id => document.getElementById(id);
    const check = (good, what) => { if (!good) failed.push(`${what} (step ${view.step})`); };
    const key = (name, shiftKey = false) => document.dispatchEvent(new KeyboardEvent("keydown", {key: name, shiftKey}));
    const line = () => view.moments.codeAt(view.step).line;

    view.go(0);
    key("F11");
    check(view.step === 1, "F11 goes one step forward");
    key("F11", true);
    check(view.step === 0, "Shift+F11 goes back");
    key("F10");
    check(view.step > 0 && line() !== r.code[r.pcOf[0]].line, "F10 goes to another line");
    const at = view.step;
    key("F10");
    key("F10", true);
    check(view.step === at, "Shift+F10 goes back to where F10 came from");
    $("time").value = 200;
    $("time").dispatchEvent(new Event("input"));
    check(view.step === 200, "the slider goes to a step");

    view.go(0);
    key("b");
    check(/^bar/.test(r.code[r.pcOf[view.step]].text), "b goes to a barrier");
    document.querySelector("[data-next=finding]").click();
    const race = view.moments.findings.find(f => f.finding.id === "race-shared");
    check(race && race.steps.length === 2 && race.steps.includes(view.step), "the button goes to the race");
    document.querySelectorAll("#findings button")[1].click();
    const [one, other] = race ? race.steps : [0, 0];
    check(view.step === other, "the finding's button shows the second access");
    const words = step => { const set = new Set(); for (let i = r.firstAccess[step]; i < r.firstAccess[step + 1]; i++) for (let l = 0; l < 32; l++) if (r.accesses.mask.data[i] >>> l & 1) set.add(r.accesses.addr.data[i * 32 + l]); return set; };
    check([...words(one)].some(a => words(other).has(a)), "both accesses of the race touch one word");

    const stop = line();
    view.go(0);
    view.lines[stop - 1].number.click();
    key("r");
    check(view.step > 0 && line() === stop, "r runs to the breakpoint");
    check(view.lines[stop - 1].number.getAttribute("aria-pressed") === "true", "the breakpoint is marked");
    view.lines[stop - 1].number.click();

    const first = Math.min(...r.code.filter(c => c.file === view.file && c.line > 0).map(c => c.line));
    view.lines[0].number.click();
    check(view.lines[first - 1].number.getAttribute("aria-pressed") === "true" && $("now").textContent.includes(`on line ${first}`),
        "a breakpoint on a line without code goes to the next line with code");
    view.lines[first - 1].number.click();
    view.lines[view.lines.length - 1].number.click();
    check(view.moments.breakpoints.size === 0 && $("now").textContent.includes("no code from line"), "after the last code there is no breakpoint");

    $("watch-what").value = "sums[0]";
    $("watch-form").dispatchEvent(new Event("submit", {cancelable: true}));
    check(view.watches.length === 1, "a word can be watched");
    view.watches[0].stops.click();
    view.go(0);
    key("r");
    const before = r.valueAt(0, view.step - 1), writer = r.writerAt(0, view.step);
    check(writer !== null && writer.step === view.step && before !== r.valueAt(0, view.step), "r stops where the word changes");
    $("watch-what").value = "no such name";
    $("watch-form").dispatchEvent(new Event("submit", {cancelable: true}));
    check(view.watches.length === 1 && $("watch-help").textContent.includes("no such name"), "an unknown name is refused");

    location.hash = "#step=77";
    await new Promise(done => setTimeout(done, 50));
    check(view.step === 77, "#step=77 goes there");
    check($("now").getAttribute("aria-live") === "polite" && $("now").textContent.startsWith("Step 77"), "the step is announced");
    return `keys: ${failed.length} failed${failed.length ? `: ${failed.join("; ")}` : ""}`;
}

useIt().catch(e => `keys: ${e.stack}`).then(text => parent.postMessage(text, "*"));
