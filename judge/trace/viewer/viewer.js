// The viewer: where we are in the recording, and the ways to go elsewhere. A position is an event; what is shown is the state after it.
WarpTrace.mount = (root, data) => {
  const panels = WarpTrace.panels, { countUpTo } = WarpTrace.stream, escape = panels.escape;
  const model = new WarpTrace.stream.Model(data);
  const state = { t: 0, warp: model.events[0].warp, into: true, single: false, follow: false, file: 0, timer: 0 };
  const PLAY_MS = 350;

  // ---- lines: runs of events of one warp at one place with the same lanes

  /// [file, line] of a site: the innermost line that there is a source for, or the one in the submission that led there.
  function placeOf(site) {
    const { at } = data.sites[site];
    const own = state.into ? undefined : at.find(([file]) => data.files[file].own);
    const frame = own || at[0];
    return frame ? [frame[0], frame[1]] : undefined;
  }
  let groups = [];    // {warp, first, last, events, place}, by first event
  let ofWarp = [];    // warp -> indices into groups
  let groupOf = [];   // event -> index into groups
  let visits = [];    // file -> Map(line -> events)

  function collect() {
    groups = [];
    ofWarp = Array.from({ length: model.warps }, () => []);
    groupOf = new Array(model.events.length);
    visits = data.files.map(() => new Map());
    const open = new Array(model.warps);
    model.events.forEach((event, i) => {
      const before = open[event.warp];
      const place = placeOf(event.site) || (before && before.place) || [0, 1];
      const same = before && !state.single && before.place[0] === place[0] && before.place[1] === place[1] && before.mask === event.mask;
      const group = same ? before : { warp: event.warp, first: i, place, mask: event.mask, events: [] };
      if (!same) {
        open[event.warp] = group;
        ofWarp[event.warp].push(groups.length);
        groups.push(group);
        const moved = !before || before.place[0] !== place[0] || before.place[1] !== place[1];
        if (moved || !state.single) (visits[place[0]].get(place[1]) ?? visits[place[0]].set(place[1], []).get(place[1])).push(i);
      }
      group.events.push(i);
      group.last = i;
      groupOf[i] = same ? groupOf[group.first] : groups.length - 1;
    });
  }

  /// The group of the chosen warp at or before t; undefined when it has not begun.
  function currentGroup() {
    const mine = model.ofWarp[state.warp], done = countUpTo(mine, state.t);
    return done ? groups[groupOf[mine[done - 1]]] : undefined;
  }

  // ---- the page

  const fault = data.fault && data.fault.frames.find((f) => f.number !== undefined);
  const failure = fault ? { file: fault.number, line: fault.line, message: data.fault.message } : undefined;
  const w = data.window;
  const notes = [];
  if (data.fault) notes.push(`<p class="failure"><b>${escape(data.fault.kind)}</b> ${escape(data.fault.message)}${sameBlock() ? "" : ` (in block ${data.fault.block.join(", ")}, not in this one)`}</p>`);
  else if (data.verdict.code !== "AC") notes.push(`<p class="failure"><b>${escape(data.verdict.code)}</b> ${escape(data.verdict.message)}</p>`);
  if (w.truncated || w.first) notes.push(`<p class="window">Steps ${w.first} to ${w.first + w.kept} of the block's warps are recorded${w.truncated ? `; more follow: <code>--from ${w.first + w.kept}</code>` : ""}.</p>`);
  function sameBlock() {
    const block = data.fault.block, list = Array.isArray(block) ? block : (data.fault.block = [block.x, block.y, block.z]);
    return list.every((n, i) => n === data.index[i]);
  }

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
  const tabs = $(".tabs"), lines = $(".lines"), slider = $("input[type=range]");
  const tables = data.files.map((file, i) => {
    const holder = document.createElement("div");
    holder.innerHTML = panels.sourceTable(file, i, failure);
    holder.hidden = i !== 0;
    lines.append(holder);
    const tab = document.createElement("button");
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.textContent = file.name.split("/").slice(-2).join("/");
    tab.addEventListener("click", () => { showFile(i); });
    tabs.append(tab);
    return holder;
  });
  const type = $(".shared select");
  type.value = panels.sharedType(model);
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
      const [file, line] = groups[groupOf[last]].place;
      if (file === state.file) (places.get(line) ?? places.set(line, []).get(line)).push(warp);
    }
    const line = group && group.place[0] === state.file ? group.place[1] : 0;
    panels.markSource(tables[state.file], line, visits[state.file], places, state.t);
    const row = line && tables[state.file].querySelector(`tr[data-line="${line}"]`);
    if (row) {
      const top = row.offsetTop - lines.scrollTop;
      if (top < 40 || top > lines.clientHeight - 60) lines.scrollTop = row.offsetTop - lines.clientHeight / 2;
    }
  }

  const lineName = (event) => {
    const [file, line] = groups[groupOf[event]].place;
    return `${data.files[file].name.split("/").pop()}:${line}`;
  };

  function draw() {
    const group = currentGroup(), existing = state.warp * 32 + 32 <= model.threads ? 0xffffffff : 2 ** (model.threads - state.warp * 32) - 1;
    const events = group ? group.events.filter((i) => i <= state.t) : [];
    const active = events.reduce((all, i) => all | model.events[i].active, 0);
    const view = { warp: state.warp, t: state.t, group: events, first: group ? group.first : state.t + 1, mask: group ? group.mask : 0 };
    if (group && group.place[0] !== state.file) showFile(group.place[0]);
    else mark();
    const warps = panels.warpPanel(model, view, lineName);
    $(".warps").innerHTML = warps.html;
    $(".barriers").textContent = warps.note;
    $(".accesses").innerHTML = panels.accessPanel(model, view);
    $(".ptx ol").innerHTML = panels.ptxPanel(model, view);
    $(".which").textContent = state.warp;
    $(".mask").innerHTML = panels.maskStrip(view.mask, active, existing);
    const count = [...Array(32).keys()].filter((lane) => view.mask >>> lane & 1).length;
    $(".maskwords").textContent = group ? `${count} of 32 lanes are here` : "not begun";
    $(".watches").innerHTML = panels.watchPanel(model, view);
    $(".registers table").innerHTML = panels.registerPanel(model, view) || '<tr class="note"><td>none</td></tr>';
    if (data.shared.length) $(".shared table").innerHTML = panels.sharedPanel(model, view, type.value);
    const number = groupOf[state.t];
    slider.max = groups.length - 1;
    slider.value = number;
    $("output").textContent = `${number + 1} of ${groups.length}`;
    slider.setAttribute("aria-valuetext", group ? `warp ${state.warp}, ${lineName(group.last)}` : `warp ${state.warp}, not begun`);
    root.dataset.step = String(number);
  }

  // ---- ways to go

  const neighbour = (by) => {
    if (state.follow) return groups[groupOf[state.t] + by];
    const mine = ofWarp[state.warp], group = currentGroup();
    if (!group) return by > 0 ? groups[mine[0]] : undefined;
    return groups[mine[mine.indexOf(groupOf[group.first]) + by]];
  };
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
  const first = () => (state.follow ? groups[0] : groups[ofWarp[state.warp][0]]);
  const last = () => (state.follow ? groups[groups.length - 1] : groups[ofWarp[state.warp][ofWarp[state.warp].length - 1]]);
  const ways = {
    start: () => goTo(first()),
    end: () => goTo(last()),
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
  slider.addEventListener("input", () => { play(false); goTo(groups[Number(slider.value)]); });
  type.addEventListener("change", draw);
  for (const box of root.querySelectorAll("[data-set]")) {
    box.addEventListener("change", () => {
      state[box.dataset.set] = box.checked;
      collect();
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

  collect();
  showFile(groups[0].place[0], true);
  // A kernel that fails is opened where it fails.
  goTo(data.fault && sameBlock() ? groups[groups.length - 1] : groups[0]);
};
