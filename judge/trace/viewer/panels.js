// The panels of the page. Each draws the state that it is given; none keeps any.
import { short, exact } from "./values.js";
import { countUpTo } from "./stream.js";
import { costOf, picture } from "./memory.js";
import { UNKNOWN_LANE, WAITS_AT_BARRIER, accessesOf, hasChanged, isWrittenNow, lanesIn, registerRows, touchedWords, waiting, warpsAt, watchRows } from "./shown.js";

const MOST_ROWS = 64;      // of shared memory: 2048 words
const MOST_ACCESSES = 6;

export const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
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

export function sourceTable(file, fileNumber, fault) {
  const rows = file.text.replace(/\n$/, "").split("\n").map((text, i) => {
    const failed = fault && fault.file === fileNumber && fault.line === i + 1;
    return `<tr data-line="${i + 1}"${failed ? ' class="failed"' : ""}><td class="count"></td><td class="number">${i + 1}</td><td class="who"></td><td class="code">${highlight(text) || " "}</td></tr>` +
      (failed ? `<tr class="message"><td colspan="3"></td><td>${escape(fault.message)}</td></tr>` : "");
  });
  return `<table>${rows.join("")}</table>`;
}

/// Marks the current line, counts visits, and shows which warps are where. `visits`: line -> ascending events; `places`: line -> warps.
export function markSource(table, line, visits, places, t) {
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

/// One row of 32 cells; `row`: as shown.js has them.
function laneRow(row, view) {
  const { name, about, type, lanes } = row;
  let cells = "";
  for (let lane = 0; lane < 32; ++lane) {
    const entry = lanes[lane], kinds = [];
    if (!(view.mask >>> lane & 1)) kinds.push("off");
    if (!entry) cells += `<td class="${["none", ...kinds].join(" ")}" title="lane ${lane}: nothing assigned yet"></td>`;
    else {
      if (entry.undefined) kinds.push("undefined");
      if (hasChanged(row, lane)) kinds.push("changed");
      const text = `lane ${lane}: ${exact(entry.bits, type)}${entry.undefined ? ", computed from memory that nobody wrote" : ""}`;
      cells += `<td class="${kinds.join(" ")}" title="${escape(text)}">${short(entry.bits, type)}</td>`;
    }
  }
  return `<tr><th scope="row" title="${escape(about)}">${escape(name)}</th>${cells}</tr>`;
}

function laneHead(first) {
  let cells = "";
  for (let lane = 0; lane < 32; ++lane) cells += `<th scope="col">${lane}</th>`;
  return `<tr class="head"><th scope="col">${first}</th>${cells}</tr>`;
}

const laneTable = (rows, view) => (rows.length ? laneHead("lane") + rows.map((row) => laneRow(row, view)).join("") : "");
export const watchPanel = (model, view) => laneTable(watchRows(model, view), view);
export const registerPanel = (model, view) => laneTable(registerRows(model, view), view);

export function sharedPanel(model, view, type) {
  const { touched, last } = touchedWords(model, view);
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
          const who = word.lane === UNKNOWN_LANE ? "before this window, or by a copy" : `by warp ${word.warp}, lane ${word.lane}`;
          if (isWrittenNow(model, word, view)) kinds.push("changed");
          cells += `<td class="written ${kinds.join(" ")}" style="--writer:${word.lane === UNKNOWN_LANE ? "gray" : warpColour(word.warp)}" title="${escape(`${region.name}[${i}], byte ${4 * i}: ${exact(word.value, type)}, written ${who}`)}">${short(word.value, type)}</td>`;
        }
      }
      html += `<tr><th scope="row" title="${escape(region.name)}">${escape(region.name.replace("the dynamic shared memory", "dynamic"))}[${row * 32}]</th>${cells}</tr>`;
    }
    const hidden = rowCount > MOST_ROWS ? `<tr class="note"><td colspan="33">rows ${firstRow} to ${firstRow + MOST_ROWS - 1} of ${rowCount} are shown, around the last access</td></tr>` : "";
    return html + hidden;
  }).join("");
}

const STATES = ["ready", "not begun", "waits at barrier", "waits for lanes of its warp", "waits for memory to change", "has exited"];

export function warpPanel(model, view, lineName) {
  const all = warpsAt(model, view.t), { alive, barriers } = waiting(all);
  const html = all.map((warp, w) => {
    const where = warp.last >= 0 ? lineName(warp.last) : "";
    const words = (warp.runs ? "runs" : STATES[warp.state]) + (warp.state === WAITS_AT_BARRIER ? ` ${warp.barrier}` : "");
    const detail = warp.state === 1 || warp.state === 5 ? "" : where;
    return `<button type="button" class="warp state${warp.state}" data-warp="${w}" aria-pressed="${w === view.warp}"><b style="background:${warpColour(w)}">${w}</b><span>${words}</span><em>${escape(detail)}</em></button>`;
  });
  const notes = barriers.map(({ barrier, warps }) => `${warps.length} of ${alive} warps wait at barrier ${barrier}`);
  return { html: html.join(""), note: notes.join("; ") };
}

const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

/// What stands above the picture of an access.
function sentence({ access, name }) {
  const verb = access.reads && access.writes ? "updates" : access.writes ? "writes" : "reads";
  const { unit, count, least } = costOf(access), shown = name || (access.space === "global" ? "memory" : `${access.space} memory`);
  return `${access.space} memory, ${verb} <b>${escape(shown)}</b>, ${plural(lanesIn(access.lanes).length, "lane")} × ${plural(access.bytes, "byte")}: ` +
    `<b class="${count > least ? "bad" : "good"}">${plural(count, unit)}</b>` + (count > least ? `, ${least} would do` : "");
}

export function accessPanel(model, view) {
  const list = accessesOf(model, view), shown = list.slice(-MOST_ACCESSES);
  const rows = shown.map((entry) => {
    const first = Math.min(...lanesIn(entry.access.lanes).map((lane) => entry.access.at[lane]));
    return `<figure><figcaption title="${escape(entry.site.ptx)}">${sentence(entry)} <span>from byte ${first}</span></figcaption>${picture(entry.access)}</figure>`;
  });
  if (list.length > shown.length) rows.unshift(`<p class="quiet">${list.length} accesses; the last ${shown.length}:</p>`);
  const refused = model.data.fault && model.data.fault.instruction && view.t === model.events.length - 1 && view.group.includes(view.t);
  if (refused) rows.push(`<p class="failure">${escape(model.data.fault.instruction)} fails here: ${escape(model.data.fault.message)}</p>`);
  return rows.join("") || '<p class="quiet">This line touches no memory.</p>';
}

export function ptxPanel(model, view) {
  return view.group.map((i) => {
    const event = model.events[i], off = event.active === 0 ? ' class="off" title="no lane is active: the guard is false"' : "";
    return `<li${off}>${escape(model.data.sites[event.site].ptx)}</li>`;
  }).join("");
}

export function maskStrip(mask, active, existing) {
  let out = "";
  for (let lane = 0; lane < 32; ++lane) {
    const kind = !(existing >>> lane & 1) ? "gone" : !(mask >>> lane & 1) ? "off" : !(active >>> lane & 1) ? "guarded" : "on";
    const words = { gone: "does not exist", off: "elsewhere or exited", guarded: "here, its guard is false", on: "active" }[kind];
    out += `<i class="${kind}" title="lane ${lane}: ${words}"></i>`;
  }
  return out;
}

