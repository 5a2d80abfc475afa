// Accesses as pictures: 32 lanes above, what they touch below. Global and local memory in sectors of 32 bytes, each filled where a lane asks
// for its bytes; shared memory in 32 banks. `at` counts from a boundary; where the tensor begins behind one, `phase` says how far, and labels
// count from the tensor.

const SECTOR = 32, BANKS = 32, WORD = 4;
const WIDTH = 544, HEIGHT = 92, CELL = WIDTH / 32, TOP = 16, BOTTOM = 62, BOX = 14;

const lanesOf = (access) => access.at.map((at, lane) => ({ at, lane })).filter(({ lane }) => access.lanes >>> lane & 1);
const colour = (i) => `hsl(${i * 67 % 360} 60% var(--ink-lightness))`;

/// Sorted distinct units (of `size` bytes) that the access touches.
function units(access, size) {
  const set = new Set();
  for (const { at } of lanesOf(access)) for (let u = Math.floor(at / size); u <= Math.floor((at + access.bytes - 1) / size); ++u) set.add(u);
  return [...set].sort((a, b) => a - b);
}

/// Distinct bytes / 32, rounded up: fewer sectors cannot hold them.
function leastSectors(access) {
  const bytes = new Set();
  for (const { at } of lanesOf(access)) bytes.add(at);
  return Math.max(1, Math.ceil(bytes.size * access.bytes / SECTOR));
}

function banks(access) {
  const words = Array.from({ length: BANKS }, () => new Set());
  for (const { at } of lanesOf(access)) {
    for (let w = Math.floor(at / WORD); w <= Math.floor((at + access.bytes - 1) / WORD); ++w) words[w % BANKS].add(w);
  }
  return words;
}

/// What an access costs: in shared memory wavefronts, elsewhere sectors; `least`: what its lanes need at any rate.
export function costOf(access) {
  if (access.space === "shared") {
    const count = Math.max(...banks(access).map((words) => words.size));
    return { unit: "wavefront", count, least: Math.min(count, Math.max(1, Math.ceil(units(access, WORD).length / BANKS))) };
  }
  const count = units(access, SECTOR).length;
  return { unit: "sector", count, least: Math.min(count, leastSectors(access)) };
}

/// Which lanes touch which unit: {at, lanes}; at: the first byte of a sector, or the number of a bank.
export function unitsOf(access) {
  const shared = access.space === "shared", size = shared ? WORD : SECTOR, found = new Map();
  for (const { at, lane } of lanesOf(access)) {
    for (let u = Math.floor(at / size); u <= Math.floor((at + access.bytes - 1) / size); ++u) {
      const key = shared ? u % BANKS : u * SECTOR;
      (found.get(key) ?? found.set(key, new Set()).get(key)).add(lane);
    }
  }
  return [...found].sort(([a], [b]) => a - b).map(([at, lanes]) => ({ at, lanes: [...lanes] }));
}

const ENGLISH = {
  sectors: "lanes above, sectors of 32 bytes below",
  banks: "lanes above, banks below",
  lane: (lane, at) => `lane ${lane}: byte ${at}`,
  off: (lane) => `lane ${lane} takes no part`,
  sector: (sector, from, to, used) => `bytes ${from} to ${to}, ${used} of them asked for`,
  bank: (bank, count) => `bank ${bank}: ${count} different words`,
};

// Colours are attributes: a page whose policy forbids inline styles can show the picture too.
const text = (x, y, content, kind) => `<text x="${x}" y="${y}" class="${kind}">${content}</text>`;
const box = (x, y, width, kind, fill = "", title = "") =>
  `<rect x="${x + 0.5}" y="${y}" width="${Math.max(width - 1, 1)}" height="${BOX}" rx="2" class="${kind}"${fill ? ` fill="${fill}"` : ""}>${title ? `<title>${title}</title>` : ""}</rect>`;
const part = (x, width, fill) => `<rect x="${x}" y="${BOTTOM}" width="${width}" height="${BOX}" class="used" fill="${fill}"/>`;
const line = (lane, x, stroke) => `<line x1="${(lane + 0.5) * CELL}" y1="${TOP + BOX}" x2="${x}" y2="${BOTTOM}" stroke="${stroke}"/>`;

function laneBoxes(access, fillOf, words) {
  let out = "";
  for (let lane = 0; lane < 32; ++lane) {
    const on = access.lanes >>> lane & 1;
    out += box(lane * CELL, TOP, CELL, on ? "lane" : "lane off", on ? fillOf(lane) : "", on ? words.lane(lane, access.at[lane] - (access.phase ?? 0)) : words.off(lane));
    if (lane % 4 === 0) out += text((lane + 0.5) * CELL, TOP - 4, lane, "label");
  }
  return out;
}

/// The bytes of each sector that some lane asks for, as runs [from, to) within it.
function usedBytes(access) {
  const used = new Map();
  for (const { at } of lanesOf(access)) {
    for (let byte = at; byte < at + access.bytes; ++byte) {
      const sector = Math.floor(byte / SECTOR);
      (used.get(sector) ?? used.set(sector, new Array(SECTOR).fill(false)).get(sector))[byte - sector * SECTOR] = true;
    }
  }
  return used;
}
function runs(bytes) {
  const out = [];
  for (let i = 0; i < SECTOR; ++i) {
    if (!bytes[i]) continue;
    if (bytes[i - 1]) out[out.length - 1][1] = i + 1;
    else out.push([i, i + 1]);
  }
  return out;
}

function sectorPicture(access, words) {
  const sectors = units(access, SECTOR), used = usedBytes(access), phase = access.phase ?? 0;
  const gaps = sectors.filter((s, i) => i > 0 && s !== sectors[i - 1] + 1).length;
  const gap = Math.min(6, 120 / Math.max(gaps, 1)), width = Math.min(68, (WIDTH - gaps * gap) / sectors.length);
  const place = new Map();
  let x = 0, boxes = "";
  sectors.forEach((sector, i) => {
    if (i > 0 && sector !== sectors[i - 1] + 1) x += gap;
    place.set(sector, { x: x + width / 2, i });
    const first = sector * SECTOR - phase, mine = used.get(sector);
    boxes += box(x, BOTTOM, width, "sector", colour(i), words.sector(sector, first, first + SECTOR - 1, mine.filter(Boolean).length));
    for (const [from, to] of runs(mine)) boxes += part(x + 0.5 + from * (width - 1) / SECTOR, (to - from) * (width - 1) / SECTOR, colour(i));
    if (width >= 30 || i === 0) boxes += text(Math.max(x + width / 2, 9), BOTTOM + BOX + 12, first, "label");
    x += width;
  });
  let lines = "";
  for (const { at, lane } of lanesOf(access)) {
    const first = Math.floor(at / SECTOR), last = Math.floor((at + access.bytes - 1) / SECTOR);
    for (let s = first; s <= last; ++s) lines += line(lane, place.get(s).x, colour(place.get(s).i));
  }
  return lines + laneBoxes(access, (lane) => colour(place.get(Math.floor(access.at[lane] / SECTOR)).i), words) + boxes;
}

function bankPicture(access, words) {
  const held = banks(access);
  // Wide accesses need several words of each bank, and that is no conflict.
  const fair = Math.max(1, Math.ceil(units(access, WORD).length / BANKS));
  const style = (bank) => (held[bank].size > fair ? "var(--bad)" : "var(--good)");
  let lines = "", boxes = "";
  for (const { at, lane } of lanesOf(access)) {
    const bank = Math.floor(at / WORD) % BANKS;
    lines += line(lane, (bank + 0.5) * CELL, style(bank));
  }
  for (let bank = 0; bank < BANKS; ++bank) {
    const count = held[bank].size;
    boxes += box(bank * CELL, BOTTOM, CELL, count ? "bank" : "bank off", count ? style(bank) : "", words.bank(bank, count));
    if (count > 1) boxes += text((bank + 0.5) * CELL, BOTTOM + BOX - 3, count, "inside");
    if (bank % 4 === 0) boxes += text((bank + 0.5) * CELL, BOTTOM + BOX + 12, bank, "label");
  }
  return lines + laneBoxes(access, (lane) => style(Math.floor(access.at[lane] / WORD) % BANKS), words) + boxes;
}

/// An <svg> element as text; `words`: its labels in another language.
export function picture(access, words = ENGLISH) {
  const shared = access.space === "shared";
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${shared ? words.banks : words.sectors}">${shared ? bankPicture(access, words) : sectorPicture(access, words)}</svg>`;
}
