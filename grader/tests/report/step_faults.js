// Runs in a copy of a page that steps through a launch with a fault. Goes to the fault by its key, and checks that
// the page says what is wrong and marks the lanes and words on all sides. `truth` is empty.
"use strict";

async function findIt() {
    while (!document.body.dataset.ready) await new Promise(done => setTimeout(done, 20));
    const view = lanewise, failed = [], $ = id => document.getElementById(id);
    const check = (good, what) => { if (!good) failed.push(`${what} (step ${view.step}: ${$("now").textContent})`); };
    const key = (name, shiftKey = false) => document.dispatchEvent(new KeyboardEvent("keydown", {key: name, shiftKey}));
    const says = text => $("now").textContent.includes(text);
    const lanes = (warp, name) => document.querySelectorAll("#warps .warp")[warp].querySelectorAll(`.lane.${name}`).length;

    for (const button of document.querySelectorAll("[data-next]"))
        check(button.querySelector("kbd").getBoundingClientRect().width > 0 && button.getAttribute("aria-keyshortcuts") === button.querySelector("kbd").textContent.toUpperCase(),
            `the button "${button.textContent}" shows its key`);
    view.go(0);
    if (page === "race") {
        key("a");
        const first = view.step, second = () => view.moments.codeAt(view.step).line;
        check(says("; race in lanes 0-31: nothing orders lane 0 and lane 31 of warp 1, which both use s[0]"), "the first side");
        check(lanes(0, "race") === 32 && lanes(1, "race") === 32, "the lanes of both sides are marked");
        check(view.lines[second()].row.className.includes("other"), "the line of the other side is marked");
        check($("shared").getAttribute("aria-label").endsWith("touches 32 words, 32 words in a race"), "the words are marked");
        check($("word").textContent.endsWith("; race in this step"), "the chosen word says so");
        check(document.querySelector("#access .fault").textContent.includes("Nothing orders the two accesses. Help: put a __syncthreads() between lines"), "what would order them");
        document.querySelector("#access .fault button").click();
        check(view.step > first && says("race in lanes 0-31: nothing orders lane 31 and lane 0 of warp 0"), "the button goes to the second side");
        for (let i = 0; i < 3; i++) key("a", true);
        check(view.step === first, "Shift+A goes back, over the accesses of the other words, to the first side");
        key("End");
        key("u");
        check($("now").textContent === "There is no later uninitialised read.", "the key u says that there is none");
    } else if (page === "ordered") {
        key("a");
        check(says("; race in lane 0: nothing orders lane 0 and lane 0 of warp 1"), "accesses that __syncwarp() orders are no race");
    } else if (page === "barrier") {
        key("f");
        check(says("; finding: a barrier that only some threads of a warp reach"), "the first barrier");
        key("f");
        check(says("fault in lanes 0, 8 of warp 1; finding: a barrier that only some threads of a warp reach"), "the barrier");
        check(lanes(1, "race") === 2, "the lanes are marked");
    } else {
        key("u");
        check(says(page === "shared" ? "; uninitialised read in lanes 0-3" : "; uninitialised read in lanes 8-31"), "the lanes");
        check(lanes(0, "unset") === (page === "shared" ? 4 : 24), "the lanes are marked");
        check(document.querySelector("#access .fault").textContent.endsWith(page === "shared" ? "such as s[63]." : "such as q[8]."), "the panel names a word");
        check([...document.querySelectorAll("[aria-label]")].some(e => e.getAttribute("aria-label").includes(`${page === "shared" ? 4 : 24} words that nothing has written`)), "the words are marked");
        check(document.querySelector("#findings .title").textContent.includes("a read of uninitialised memory"), "the finding has a title");
        const at = view.step;
        key("u", true);
        check(view.step === at && $("now").textContent.startsWith("There is no earlier"), "there is no earlier one");
    }
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    check(wide === 0, `overflow ${wide}`);
    return `${page}: ${failed.length} failed${failed.length ? `: ${failed.join("; ")}` : ""}`;
}

findIt().catch(e => `${page}: ${e.stack}`).then(text => parent.postMessage(text, "*"));
