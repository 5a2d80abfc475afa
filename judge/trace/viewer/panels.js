// The panels of the page. Each draws the state that it is given; none keeps any.
WarpTrace.panels = (() => {
  const { short, exact } = WarpTrace.values;
  const { countUpTo } = WarpTrace.stream;
  const MOST_ROWS = 64;      // of shared memory: 2048 words
  const MOST_REGISTERS = 24;
  const MOST_ACCESSES = 6;

  const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const warpColour = (warp) => `hsl(${(warp * 137.5) % 360} 55% var(--warp-lightness))`;

  /// A line of C++ with its comments, strings, keywords and numbers told apart.
  function highlight(line) {
    const token = /(\/\/.*$)|("(?:[^"\\]|\\.)*")|\b(const|constexpr|if|else|for|while|return|struct|template|class|using|namespace|static|void|int|float|double|unsigned|bool|size_t|auto|__global__|__device__|__shared__|__restrict__|__forceinline__|__syncthreads)\b|\b(\d[\w.]*)/g;
    let out = "", at = 0;
    for (const match of line.matchAll(token)) {
      out += escape(line.slice(at, match.index));
      const kind = match[1] ? "comment" : match[2] ? "string" : match[3] ? "keyword" : "number";
      out += `<i class="${kind}">${escape(match[0])}</i>`;
      at = match.index + match[0].length;
    }
    return out + escape(line.slice(at));
  }

  function sourceTable(file, fileNumber, fault) {
    const rows = file.text.replace(/\n$/, "").split("\n").map((text, i) => {
      const failed = fault && fault.file === fileNumber && fault.line === i + 1;
      return `<tr data-line="${i + 1}"${failed ? ' class="failed"' : ""}><td class="count"></td><td class="number">${i + 1}</td><td class="who"></td><td class="code">${highlight(text) || " "}</td></tr>` +
        (failed ? `<tr class="message"><td colspan="3"></td><td>${escape(fault.message)}</td></tr>` : "");
    });
    return `<table>${rows.join("")}</table>`;
  }

  /// Marks the current line, counts visits, and shows which warps are where. `visits`: line -> ascending events; `places`: line -> warps.
  function markSource(table, line, visits, places, t) {
    for (const row of table.querySelectorAll("tr[data-line]")) {
      const number = Number(row.dataset.line), list = visits.get(number);
      const count = list ? countUpTo(list, t) : 0;
      row.classList.toggle("current", number === line);
      row.classList.toggle("reached", count > 0);
      row.cells[0].textContent = count || "";
      row.cells[0].title = list ? `run ${count} times so far by the warps of the block, ${list.length} in all` : "";
      const warps = places.get(number) || [];
      const html = warps.slice(0, 4).map((w) => `<b style="background:${warpColour(w)}" title="warp ${w} is here">${w}</b>`).join("") + (warps.length > 4 ? "…" : "");
      if (row.cells[2].innerHTML !== html) row.cells[2].innerHTML = html;
    }
  }

  /// One row of 32 cells. `lanes`: 32 of {bits, undefined, event} or nothing.
  function laneRow(name, title, type, lanes, mask, changedFrom) {
    let cells = "";
    for (let lane = 0; lane < 32; ++lane) {
      const entry = lanes[lane], kinds = [];
      if (!(mask >>> lane & 1)) kinds.push("off");
      if (!entry) cells += `<td class="${["none", ...kinds].join(" ")}" title="lane ${lane}: nothing assigned yet"></td>`;
      else {
        if (entry.undefined) kinds.push("undefined");
        if (entry.event >= changedFrom) kinds.push("changed");
        const text = `lane ${lane}: ${exact(entry.bits, type)}${entry.undefined ? ", computed from memory that nobody wrote" : ""}`;
        cells += `<td class="${kinds.join(" ")}" title="${escape(text)}">${short(entry.bits, type)}</td>`;
      }
    }
    return `<tr><th scope="row" title="${escape(title)}">${escape(name)}</th>${cells}</tr>`;
  }

  function laneHead(first) {
    let cells = "";
    for (let lane = 0; lane < 32; ++lane) cells += `<th scope="col">${lane}</th>`;
    return `<tr class="head"><th scope="col">${first}</th>${cells}</tr>`;
  }

  /// The name, and behind it what tells it from others of that name: the template arguments of its function, or the function.
  function watchLabel(watches, watch) {
    const base = (w) => w.function.replace(/[<(].*/, "").split(/::| /).pop();
    const same = watches.filter((w) => w.name === watch.name);
    if (same.length === 1) return watch.name;
    const variant = (watch.function.match(/<(.*?)>\(/) || ["", ""])[1].split("::").pop();
    return same.every((w) => base(w) === base(watch)) && variant ? `${watch.name} <${variant}>` : `${watch.name} (${base(watch)})`;
  }

  function watchPanel(model, view) {
    const { watches } = model.data;
    const rows = watches.map((watch, i) => {
      const name = watchLabel(watches, watch);
      return laneRow(name, `${watch.name}: ${watch.type}, in ${watch.function}`, watch.type, model.watchAt(view.warp, i, view.t), view.mask, view.first);
    });
    return rows.length ? laneHead("lane") + rows.join("") : "";
  }

  function registerPanel(model, view) {
    const seen = new Set();
    for (const i of view.group) for (const { reg } of model.events[i].values) seen.add(reg);
    const rows = [...seen].slice(-MOST_REGISTERS).map((reg) => {
      const { name, type, watch } = model.data.registers[reg];
      const names = watch.map((w) => model.data.watches[w].name).join(", ");
      const shown = watch.length ? model.data.watches[watch[0]].type : type;
      return laneRow(name, `${name}: ${type}${names ? ", holds " + names : ""}`, shown, model.registerAt(view.warp, reg, view.t), view.mask, view.first);
    });
    return rows.length ? laneHead("lane") + rows.join("") : "";
  }

  /// Floats, unless more is stored as something else.
  function sharedType(model) {
    let floats = 0, others = 0;
    for (const site of model.data.sites) {
      if (!/^(st|ld)\.(volatile\.)?shared/.test(site.op)) continue;
      if (/f32|b32/.test(site.op) && /%f/.test(site.ptx)) ++floats;
      else ++others;
    }
    return floats >= others ? "f32" : "s32";
  }

  function sharedPanel(model, view, type) {
    const touched = new Set();
    let last = -1;
    for (const i of view.group) {
      for (const access of model.events[i].accesses) {
        if (access.space !== "shared") continue;
        access.at.forEach((at, lane) => { if (access.lanes >>> lane & 1) touched.add(last = at & ~3); });
      }
    }
    return model.data.shared.map((region) => {
      const count = Math.ceil(region.bytes / 4), rowCount = Math.ceil(count / 32);
      const focus = last >= region.at && last < region.at + region.bytes ? Math.floor((last - region.at) / 128) : 0;
      const firstRow = Math.max(0, Math.min(focus - MOST_ROWS / 2, rowCount - MOST_ROWS));
      let html = "";
      for (let row = firstRow; row < Math.min(rowCount, firstRow + MOST_ROWS); ++row) {
        let cells = "";
        for (let i = row * 32; i < row * 32 + 32; ++i) {
          if (i >= count) { cells += "<td class='gone'></td>"; continue; }
          const at = region.at + 4 * i, word = model.wordAt(at, view.t), kinds = touched.has(at) ? ["touched"] : [];
          if (!word) cells += `<td class="${["none", ...kinds].join(" ")}" title="${escape(region.name)}[${i}]: nobody has written it"></td>`;
          else {
            const who = word.lane === 255 ? "before this window, or by a copy" : `by warp ${word.warp}, lane ${word.lane}`;
            if (word.event >= view.first && word.event <= view.t && model.events[word.event].warp === view.warp) kinds.push("changed");
            cells += `<td class="written ${kinds.join(" ")}" style="--writer:${word.lane === 255 ? "gray" : warpColour(word.warp)}" title="${escape(`${region.name}[${i}], byte ${4 * i}: ${exact(word.value, type)}, written ${who}`)}">${short(word.value, type)}</td>`;
          }
        }
        html += `<tr><th scope="row" title="${escape(region.name)}">${escape(region.name.replace("the dynamic shared memory", "dynamic"))}[${row * 32}]</th>${cells}</tr>`;
      }
      const hidden = rowCount > MOST_ROWS ? `<tr class="note"><td colspan="33">rows ${firstRow} to ${firstRow + MOST_ROWS - 1} of ${rowCount} are shown, around the last access</td></tr>` : "";
      return html + hidden;
    }).join("");
  }

  const STATES = ["ready", "not begun", "waits at barrier", "waits for lanes of its warp", "waits for memory to change", "has exited"];

  function warpPanel(model, view, lineName) {
    let out = "";
    const waiting = new Map();
    const all = Array.from({ length: model.warps }, (_, w) => model.warpAt(w, view.t));
    all.forEach((warp) => { if (warp.state === 2) waiting.set(warp.barrier, (waiting.get(warp.barrier) || 0) + 1); });
    const alive = all.filter((warp) => warp.state !== 5).length;
    all.forEach((warp, w) => {
      const where = warp.last >= 0 ? lineName(warp.last) : "";
      const running = model.events[view.t].warp === w && warp.state === 0;
      let words = running ? "runs" : STATES[warp.state];
      if (warp.state === 2) words += ` ${warp.barrier}`;
      const detail = warp.state === 1 || warp.state === 5 ? "" : where;
      out += `<button type="button" class="warp state${warp.state}" data-warp="${w}" aria-pressed="${w === view.warp}"><b style="background:${warpColour(w)}">${w}</b><span>${words}</span><em>${escape(detail)}</em></button>`;
    });
    const notes = [...waiting].map(([barrier, count]) => `${count} of ${alive} warps wait at barrier ${barrier}`);
    return { html: out, note: notes.join("; ") };
  }

  function accessPanel(model, view) {
    const list = [];
    for (const i of view.group) for (const access of model.events[i].accesses) list.push({ access, site: model.data.sites[model.events[i].site] });
    const shown = list.slice(-MOST_ACCESSES);
    const nameOf = (access) => {
      if (access.space === "global") return model.data.regions[access.region].name || "memory";
      if (access.space === "local") return "local memory";
      const lane = access.at.findIndex((_, l) => access.lanes >>> l & 1);
      return (model.data.shared.find((r) => access.at[lane] >= r.at && access.at[lane] < r.at + r.bytes) || { name: "shared memory" }).name;
    };
    const rows = shown.map(({ access, site }) => {
      const first = Math.min(...access.at.filter((_, l) => access.lanes >>> l & 1));
      return `<figure><figcaption title="${escape(site.ptx)}">${access.space} memory, ${WarpTrace.memory.sentence(access, escape(nameOf(access)))} <span>from byte ${first}</span></figcaption>${WarpTrace.memory.picture(access)}</figure>`;
    });
    if (list.length > shown.length) rows.unshift(`<p class="quiet">${list.length} accesses; the last ${shown.length}:</p>`);
    const refused = model.data.fault && model.data.fault.instruction && view.t === model.events.length - 1 && view.group.includes(view.t);
    if (refused) rows.push(`<p class="failure">${escape(model.data.fault.instruction)} fails here: ${escape(model.data.fault.message)}</p>`);
    return rows.join("") || '<p class="quiet">This line touches no memory.</p>';
  }

  function ptxPanel(model, view) {
    return view.group.map((i) => {
      const event = model.events[i], off = event.active === 0 ? ' class="off" title="no lane is active: the guard is false"' : "";
      return `<li${off}>${escape(model.data.sites[event.site].ptx)}</li>`;
    }).join("");
  }

  function maskStrip(mask, active, existing) {
    let out = "";
    for (let lane = 0; lane < 32; ++lane) {
      const kind = !(existing >>> lane & 1) ? "gone" : !(mask >>> lane & 1) ? "off" : !(active >>> lane & 1) ? "guarded" : "on";
      const words = { gone: "does not exist", off: "elsewhere or exited", guarded: "here, its guard is false", on: "active" }[kind];
      out += `<i class="${kind}" title="lane ${lane}: ${words}"></i>`;
    }
    return out;
  }

  return { sourceTable, markSource, watchPanel, registerPanel, sharedPanel, sharedType, warpPanel, accessPanel, ptxPanel, maskStrip, escape };
})();
