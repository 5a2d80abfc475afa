// What there is to see at a position of the recording, as numbers and names; how it looks is for others.
const MOST_REGISTERS = 24;

/// States of a warp that are asked for here (README.md, "The stream"), and the lane of a word of which nobody knows who wrote it.
export const WAITS_AT_BARRIER = 2;
export const EXITED = 5;
export const UNKNOWN_LANE = 255;

/// Lane numbers of a mask, ascending.
export const lanesIn = (mask) => [...Array(32).keys()].filter((lane) => mask >>> lane & 1);

/// Lanes of a warp that have a thread.
export const existingLanes = (model, warp) => (warp * 32 + 32 <= model.threads ? 0xffffffff : 2 ** Math.max(model.threads - warp * 32, 0) - 1);

/// A warp after event t. `group`: the events of its line so far, `first` of them; `mask`: lanes at that line, `active`: those whose guard held.
export function viewOf(model, lines, warp, t) {
  const line = lines.current(warp, t);
  const group = line ? line.events.filter((i) => i <= t) : [];
  return {
    warp, t, group, first: line ? line.first : t + 1, place: line ? line.place : undefined,
    mask: line ? line.mask : 0, active: group.reduce((all, i) => all | model.events[i].active, 0), existing: existingLanes(model, warp),
  };
}

/// The name, and behind it what tells it from others of that name: the template arguments of its function, or the function.
function watchLabel(watches, watch) {
  const base = (w) => w.function.replace(/[<(].*/, "").split(/::| /).pop();
  const same = watches.filter((w) => w.name === watch.name);
  if (same.length === 1) return watch.name;
  const variant = (watch.function.match(/<(.*?)>\(/) || ["", ""])[1].split("::").pop();
  return same.every((w) => base(w) === base(watch)) && variant ? `${watch.name} <${variant}>` : `${watch.name} (${base(watch)})`;
}

/// The watched variables: {name, type, about, lanes, before}; lanes: 32 of {bits, event, undefined} or nothing, before: those before the line.
export function watchRows(model, view) {
  const { watches } = model.data;
  return watches.map((watch, i) => ({
    name: watchLabel(watches, watch), type: watch.type, about: `${watch.name}: ${watch.type}, in ${watch.function}`, lanes: model.watchAt(view.warp, i, view.t),
    before: model.watchAt(view.warp, i, view.first - 1),
  }));
}

/// The registers that the line has written, in the same form.
export function registerRows(model, view) {
  const seen = new Set();
  for (const i of view.group) for (const { reg } of model.events[i].values) seen.add(reg);
  return [...seen].slice(-MOST_REGISTERS).map((reg) => {
    const { name, type, watch } = model.data.registers[reg];
    const names = watch.map((w) => model.data.watches[w].name).join(", ");
    const shown = watch.length ? model.data.watches[watch[0]].type : type;
    const about = `${name}: ${type}${names ? ", holds " + names : ""}`;
    return { name, type: shown, about, lanes: model.registerAt(view.warp, reg, view.t), before: model.registerAt(view.warp, reg, view.first - 1) };
  });
}

/// Whether a lane of such a row has another value than before the line: one that is written again as it was has not changed.
export function hasChanged({ lanes, before }, lane) {
  return !!lanes[lane] && (!before[lane] || lanes[lane].bits !== before[lane].bits);
}

/// What shared memory holds: floats, unless more is stored as something else.
export function sharedType(model) {
  let floats = 0, others = 0;
  for (const site of model.data.sites) {
    if (!/^(st|ld)\.(volatile\.)?shared/.test(site.op)) continue;
    if (/f32|b32/.test(site.op) && /%f/.test(site.ptx)) ++floats;
    else ++others;
  }
  return floats >= others ? "f32" : "s32";
}

/// Words of shared memory that the line touches, and the last of them (-1: none).
export function touchedWords(model, view) {
  const touched = new Set();
  let last = -1;
  for (const i of view.group) {
    for (const access of model.events[i].accesses) {
      if (access.space !== "shared") continue;
      access.at.forEach((at, lane) => { if (access.lanes >>> lane & 1) touched.add(last = at & ~3); });
    }
  }
  return { touched, last };
}

/// Whether a word of shared memory was written by the line at hand.
export const isWrittenNow = (model, word, view) => word.event >= view.first && word.event <= view.t && model.events[word.event].warp === view.warp;

/// Every warp after event t: {state, barrier, last, runs}.
export const warpsAt = (model, t) =>
  Array.from({ length: model.warps }, (_, w) => {
    const warp = model.warpAt(w, t);
    return { ...warp, runs: model.events[t].warp === w && warp.state === 0 };
  });

/// Who waits at which barrier: {alive, barriers: [{barrier, warps}]}.
export function waiting(warps) {
  const barriers = new Map();
  warps.forEach(({ state, barrier }, w) => {
    if (state === WAITS_AT_BARRIER) (barriers.get(barrier) ?? barriers.set(barrier, []).get(barrier)).push(w);
  });
  return { alive: warps.filter(({ state }) => state !== EXITED).length, barriers: [...barriers].map(([barrier, list]) => ({ barrier, warps: list })) };
}

/// The accesses of the line, each with its instruction and the name of what it touches ("": none is known).
export function accessesOf(model, view) {
  const nameOf = (access) => {
    if (access.space === "global") return model.data.regions[access.region].name;
    if (access.space === "local") return "";
    const lane = lanesIn(access.lanes)[0];
    return (model.data.shared.find((r) => access.at[lane] >= r.at && access.at[lane] < r.at + r.bytes) || { name: "" }).name;
  };
  return view.group.flatMap((i) => model.events[i].accesses.map((access) => ({ access, site: model.data.sites[model.events[i].site], name: nameOf(access) })));
}

/// Where the case failed: {file, line, message} in a source that is here, and whether in the recorded block. Undefined for a sound case.
export function failureOf(data) {
  if (!data.fault) return undefined;
  const block = Array.isArray(data.fault.block) ? data.fault.block : [data.fault.block.x, data.fault.block.y, data.fault.block.z];
  const frame = data.fault.frames.find((f) => f.number !== undefined);
  return {
    kind: data.fault.kind, message: data.fault.message, instruction: data.fault.instruction, block, here: block.every((n, i) => n === data.index[i]),
    file: frame ? frame.number : -1, line: frame ? frame.line : 0,
  };
}
