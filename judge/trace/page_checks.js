// Run inside a trace of 05-layernorm, case plain, by judge/tests/cli/trace_page_test.cpp: uses the page as a person would, through keys and
// controls, and leaves what it saw in an element "checks" as JSON. It judges nothing; the test does.
(() => {
  const mounted = performance.now(), root = document.querySelector(".warp-trace"), seen = { mounted, errors: window.traceErrors || [] };
  const all = (selector) => [...root.querySelectorAll(selector)], one = (selector) => root.querySelector(selector);
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const line = () => Number(one(".source tr.current:not([hidden])")?.dataset.line ?? 0);
  const row = (name) => all(".watches tr").find((tr) => tr.querySelector("th").textContent === name);
  const exact = (cell) => Number(cell.title.match(/: (-?[\d.e+-]+|NaN|Infinity) /)?.[1]);
  try {
    seen.first = { step: root.dataset.step, line: line(), warps: all(".warp").map((b) => b.querySelector("span").textContent) };

    // To the first load of x, by key.
    for (let i = 0; i < 40 && !/reads/.test(one(".accesses").textContent); ++i) press("ArrowRight");
    seen.load = { line: line(), words: one("figcaption").textContent, lanes: all("figure svg .lane").length, sectors: all("figure svg .sector").length };
    const before = root.dataset.step;
    press("ArrowRight");
    press("ArrowLeft");
    seen.backAgain = root.dataset.step === before;

    // All warps, step by step, until the last one comes to the first barrier.
    one("[data-set=follow]").click();
    const slider = one("input[type=range]");
    seen.steps = Number(slider.max) + 1;
    seen.barriers = new Set();
    for (let i = 0; i <= Number(slider.max); i += 1) {
      slider.value = i;
      slider.dispatchEvent(new Event("input"));
      if (one(".barriers").textContent) seen.barriers.add(one(".barriers").textContent);
    }
    seen.barriers = [...seen.barriers];

    // The end: every thread has mean and scale, and the partial sums are those of x^2.
    press("End");
    const numbers = (name) => [...row(name).querySelectorAll("td")].map(exact);
    seen.end = {
      exited: all(".warp").filter((b) => b.textContent.includes("has exited")).length,
      mean: numbers("mean"), meanSquare: numbers("mean_square"), scale: numbers("scale"),
      partials: all(".shared td").map((cell) => (cell.classList.contains("none") ? null : exact(cell))),
      writers: all(".shared td.written").map((cell) => Number(cell.title.match(/warp (\d+)/)[1])),
    };

    press("ArrowUp");
    seen.otherWarp = one(".which").textContent;
    press("Home");
    seen.home = root.dataset.step;
    press(" ");
    seen.playing = one("[data-go=play]").getAttribute("aria-pressed");
    press(" ");
    seen.paused = one("[data-go=play]").getAttribute("aria-pressed");
    one("[data-set=single]").click();
    seen.instructions = Number(slider.max) + 1;
    one("[data-set=single]").click();
    one("[data-set=into]").click();
    seen.ownFileOnly = Number(slider.max) + 1;
    seen.unnamed = all("button, input, select").filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.closest("label"))).length;
  } catch (error) {
    seen.errors.push(String(error.stack));
  }
  const pre = document.createElement("pre");
  pre.id = "checks";
  pre.textContent = JSON.stringify(seen);
  document.body.append(pre);
})();
