// The viewer: where we are in the recording, and the ways to go elsewhere. A position is an event; what is shown is the state after it.
import { Model } from "./stream.js";
import { Lines } from "./lines.js";
import { failureOf, lanesIn, sharedType, viewOf } from "./shown.js";
import { accessPanel, escape, markSource, maskStrip, ptxPanel, registerPanel, sharedPanel, sourceTable, warpPanel, watchPanel } from "./panels.js";

export function mount(root, data) {
  const model = new Model(data);
  const state = { t: 0, warp: model.events[0].warp, into: true, single: false, follow: false, file: 0, timer: 0 };
  const PLAY_MS = 350;

  let lines = new Lines(model, state);

  /// The group of the chosen warp at or before t; undefined when it has not begun.
  const currentGroup = () => lines.current(state.warp, state.t);

  // ---- the page

  const failure = failureOf(data);
  const w = data.window;
  const notes = [];
  if (failure) notes.push(`<p class="failure"><b>${escape(failure.kind)}</b> ${escape(failure.message)}${failure.here ? "" : ` (in block ${failure.block.join(", ")}, not in this one)`}</p>`);
  else if (data.verdict.code !== "AC") notes.push(`<p class="failure"><b>${escape(data.verdict.code)}</b> ${escape(data.verdict.message)}</p>`);
  if (w.truncated || w.first) notes.push(`<p class="window">Steps ${w.first} to ${w.first + w.kept} of the block's warps are recorded${w.truncated ? `; more follow: <code>--from ${w.first + w.kept}</code>` : ""}.</p>`);

  root.className = "warp-trace";
  root.innerHTML = `
<header>
  <h1>${escape(data.task)} <small>case ${escape(data.case.name)}, ${data.case.rows} × ${data.case.cols}</small></h1>
  <p class="kernel"><code>${escape(data.kernel.replace(/\(.*/, ""))}</code> block (${data.index.join(", ")}) of (${data.grid.join(", ")}), ${model.threads} threads</p>
  ${notes.join("")}
</header>
<nav aria-label="Steps">
  <button type="button" data-go="start" title="Home">first<span class="sr"> step</span></button>
  <button type="button" data-go="back" title="left arrow">◀ back</button>
  <button type="button" data-go="forward" title="right arrow">step ▶</button>
  <button type="button" data-go="end" title="End">last<span class="sr"> step</span></button>
  <button type="button" data-go="play" title="space" aria-pressed="false">play</button>
  <input type="range" min="0" value="0" aria-label="Position in the recording">
  <output></output>
  <label title="steps through lines of headers too, not only of the submission"><input type="checkbox" data-set="into" checked> headers</label>
  <label title="one PTX instruction a step"><input type="checkbox" data-set="single"> instructions</label>
  <label title="goes to whichever warp runs next"><input type="checkbox" data-set="follow"> all warps</label>
</nav>
<main>
  <section class="source" aria-label="Source"><div class="tabs" role="tablist"></div><div class="lines" tabindex="0"></div></section>
  <div class="side">
    <section aria-label="Warps"><h2>Warps <small class="barriers"></small></h2><div class="warps"></div></section>
    <section aria-label="Memory accesses"><h2>Memory touched by this line</h2><div class="accesses"></div></section>
    <details class="ptx" open><summary>PTX of this line</summary><ol></ol></details>
  </div>
  <section class="lanes" aria-label="Lanes">
    <h2>Lanes of warp <span class="which"></span> <span class="mask"></span> <small class="maskwords"></small></h2>
    <table class="grid watches"></table>
    <details class="registers"${data.watches.length ? "" : " open"}><summary>Registers written by this line</summary><table class="grid"></table></details>
  </section>
  <section class="shared" aria-label="Shared memory"><h2>Shared memory <small>a cell is 4 bytes, a row the 32 banks, its colour the warp that wrote it last</small>
    <select aria-label="Type of shared memory"><option value="f32">float</option><option value="s32">int</option><option value="u32">unsigned</option></select></h2>
    <table class="grid"></table></section>
</main>
<footer>← → by line, ↑ ↓ by warp, Home, End, space to play. Optimised code does not keep to the order of lines: a loop may be unrolled, a line may return.</footer>`;

  const $ = (selector) => root.querySelector(selector);
  const tabs = $(".tabs"), source = $(".lines"), slider = $("input[type=range]");
  const tables = data.files.map((file, i) => {
    const holder = document.createElement("div");
    holder.innerHTML = sourceTable(file, i, failure);
    holder.hidden = i !== 0;
    source.append(holder);
    const tab = document.createElement("button");
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.textContent = file.name.split("/").slice(-2).join("/");
    tab.addEventListener("click", () => { showFile(i); });
    tabs.append(tab);
    return holder;
  });
  const type = $(".shared select");
  type.value = sharedType(model);
  if (!data.shared.length) $(".shared").hidden = true;

  function showFile(i, quietly) {
    state.file = i;
    tables.forEach((holder, k) => { holder.hidden = k !== i; });
    [...tabs.children].forEach((tab, k) => tab.setAttribute("aria-selected", String(k === i)));
    if (!quietly) mark();
  }

  function mark() {
    const group = currentGroup(), places = new Map();
    for (let warp = 0; warp < model.warps; ++warp) {
      const { state: how, last } = model.warpAt(warp, state.t);
      if (last < 0 || how === 5) continue;
      const [file, line] = lines.at(last).place;
      if (file === state.file) (places.get(line) ?? places.set(line, []).get(line)).push(warp);
    }
    const line = group && group.place[0] === state.file ? group.place[1] : 0;
    markSource(tables[state.file], line, lines.visits[state.file], places, state.t);
    const row = line && tables[state.file].querySelector(`tr[data-line="${line}"]`);
    if (row) {
      const top = row.offsetTop - source.scrollTop;
      if (top < 40 || top > source.clientHeight - 60) source.scrollTop = row.offsetTop - source.clientHeight / 2;
    }
  }

  function draw() {
    const group = currentGroup(), view = viewOf(model, lines, state.warp, state.t);
    if (group && group.place[0] !== state.file) showFile(group.place[0]);
    else mark();
    const warps = warpPanel(model, view, (event) => lines.name(event));
    $(".warps").innerHTML = warps.html;
    $(".barriers").textContent = warps.note;
    $(".accesses").innerHTML = accessPanel(model, view);
    $(".ptx ol").innerHTML = ptxPanel(model, view);
    $(".which").textContent = state.warp;
    $(".mask").innerHTML = maskStrip(view.mask, view.active, view.existing);
    $(".maskwords").textContent = group ? `${lanesIn(view.mask).length} of 32 lanes are here` : "not begun";
    $(".watches").innerHTML = watchPanel(model, view);
    $(".registers table").innerHTML = registerPanel(model, view) || '<tr class="note"><td>none</td></tr>';
    if (data.shared.length) $(".shared table").innerHTML = sharedPanel(model, view, type.value);
    const number = lines.groupOf[state.t], { groups } = lines;
    slider.max = groups.length - 1;
    slider.value = number;
    $("output").textContent = `${number + 1} of ${groups.length}`;
    slider.setAttribute("aria-valuetext", group ? `warp ${state.warp}, ${lines.name(group.last)}` : `warp ${state.warp}, not begun`);
    root.dataset.step = String(number);
  }

  // ---- ways to go

  const neighbour = (by) => lines.neighbour(state.warp, state.t, by, state.follow);
  function goTo(group) {
    if (!group) return false;
    state.t = group.last;
    state.warp = group.warp;
    draw();
    return true;
  }
  function chooseWarp(warp) {
    if (warp < 0 || warp >= model.warps) return;
    state.warp = warp;
    draw();
  }
  function play(on) {
    clearInterval(state.timer);
    state.timer = on ? setInterval(() => { if (!goTo(neighbour(1))) play(false); }, PLAY_MS) : 0;
    const button = $("[data-go=play]");
    button.textContent = on ? "pause" : "play";
    button.setAttribute("aria-pressed", String(on));
  }
  const ways = {
    start: () => goTo(lines.first(state.warp, state.follow)),
    end: () => goTo(lines.last(state.warp, state.follow)),
    back: () => goTo(neighbour(-1)),
    forward: () => goTo(neighbour(1)),
    play: () => play(!state.timer),
  };

  root.addEventListener("click", (event) => {
    const go = event.target.closest("[data-go]"), warp = event.target.closest("[data-warp]");
    if (go) {
      if (go.dataset.go !== "play") play(false);
      ways[go.dataset.go]();
    }
    if (warp) {
      chooseWarp(Number(warp.dataset.warp));
      $(`[data-warp="${state.warp}"]`).focus();
    }
  });
  slider.addEventListener("input", () => { play(false); goTo(lines.groups[Number(slider.value)]); });
  type.addEventListener("change", draw);
  for (const box of root.querySelectorAll("[data-set]")) {
    box.addEventListener("change", () => {
      state[box.dataset.set] = box.checked;
      lines = new Lines(model, state);
      const group = currentGroup();
      if (group && !state.follow) state.t = Math.max(state.t, group.last);
      draw();
    });
  }
  const keys = { ArrowRight: ways.forward, ArrowLeft: ways.back, Home: ways.start, End: ways.end, " ": ways.play };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, input[type=range]")) return;
    if (event.key === " " && event.target.closest("button, input, summary")) return;
    if (event.key === "ArrowUp" || event.key === "ArrowDown") chooseWarp(state.warp + (event.key === "ArrowDown" ? 1 : -1));
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  });

  showFile(lines.groups[0].place[0], true);
  // A kernel that fails is opened where it fails.
  goTo(lines.groups[failure && failure.here ? lines.groups.length - 1 : 0]);
}
