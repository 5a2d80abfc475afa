// Accesses as pictures: 32 lanes above, what they touch below. Global and local memory in sectors of 32 bytes, shared memory in 32 banks.
WarpTrace.memory = (() => {
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

  const text = (x, y, content, kind) => `<text x="${x}" y="${y}" class="${kind}">${content}</text>`;
  const box = (x, y, width, kind, style = "", title = "") =>
    `<rect x="${x + 0.5}" y="${y}" width="${Math.max(width - 1, 1)}" height="${BOX}" rx="2" class="${kind}" style="${style}">${title ? `<title>${title}</title>` : ""}</rect>`;
  const line = (lane, x, style) => `<line x1="${(lane + 0.5) * CELL}" y1="${TOP + BOX}" x2="${x}" y2="${BOTTOM}" style="${style}"/>`;

  function laneBoxes(access, styleOf) {
    let out = "";
    for (let lane = 0; lane < 32; ++lane) {
      const on = access.lanes >>> lane & 1;
      out += box(lane * CELL, TOP, CELL, on ? "lane" : "lane off", on ? styleOf(lane) : "", on ? `lane ${lane}: byte ${access.at[lane]}` : `lane ${lane} takes no part`);
      if (lane % 4 === 0) out += text((lane + 0.5) * CELL, TOP - 4, lane, "label");
    }
    return out;
  }

  function sectorPicture(access) {
    const sectors = units(access, SECTOR);
    const gaps = sectors.filter((s, i) => i > 0 && s !== sectors[i - 1] + 1).length;
    const gap = Math.min(6, 120 / Math.max(gaps, 1)), width = Math.min(68, (WIDTH - gaps * gap) / sectors.length);
    const place = new Map();
    let x = 0, boxes = "";
    sectors.forEach((sector, i) => {
      if (i > 0 && sector !== sectors[i - 1] + 1) x += gap;
      place.set(sector, { x: x + width / 2, i });
      boxes += box(x, BOTTOM, width, "sector", `fill:${colour(i)}`, `sector ${sector}: bytes ${sector * SECTOR} to ${sector * SECTOR + SECTOR - 1}`);
      if (width >= 30 || i === 0) boxes += text(x + width / 2, BOTTOM + BOX + 12, sector * SECTOR, "label");
      x += width;
    });
    let lines = "";
    for (const { at, lane } of lanesOf(access)) {
      const first = Math.floor(at / SECTOR), last = Math.floor((at + access.bytes - 1) / SECTOR);
      for (let s = first; s <= last; ++s) lines += line(lane, place.get(s).x, `stroke:${colour(place.get(s).i)}`);
    }
    return lines + laneBoxes(access, (lane) => `fill:${colour(place.get(Math.floor(access.at[lane] / SECTOR)).i)}`) + boxes;
  }

  function bankPicture(access) {
    const words = banks(access);
    const style = (bank) => (words[bank].size > 1 ? "var(--bad)" : "var(--good)");
    let lines = "", boxes = "";
    for (const { at, lane } of lanesOf(access)) {
      const bank = Math.floor(at / WORD) % BANKS;
      lines += line(lane, (bank + 0.5) * CELL, `stroke:${style(bank)}`);
    }
    for (let bank = 0; bank < BANKS; ++bank) {
      const count = words[bank].size;
      boxes += box(bank * CELL, BOTTOM, CELL, count ? "bank" : "bank off", count ? `fill:${style(bank)}` : "", `bank ${bank}: ${count} different words`);
      if (count > 1) boxes += text((bank + 0.5) * CELL, BOTTOM + BOX - 3, count, "inside");
      if (bank % 4 === 0) boxes += text((bank + 0.5) * CELL, BOTTOM + BOX + 12, bank, "label");
    }
    return lines + laneBoxes(access, (lane) => `fill:${style(Math.floor(access.at[lane] / WORD) % BANKS)}`) + boxes;
  }

  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  /// What stands above the picture.
  function sentence(access, name) {
    const verb = access.reads && access.writes ? "updates" : access.writes ? "writes" : "reads";
    const lanes = lanesOf(access).length;
    const head = `${verb} <b>${name}</b>, ${plural(lanes, "lane")} × ${plural(access.bytes, "byte")}: `;
    if (access.space === "shared") {
      const degree = Math.max(...banks(access).map((words) => words.size));
      const least = Math.max(1, Math.ceil(units(access, WORD).length / BANKS));
      return head + `<b class="${degree > least ? "bad" : "good"}">${plural(degree, "wavefront")}</b>` + (degree > least ? `, ${least} would do` : "");
    }
    const sectors = units(access, SECTOR).length, least = Math.min(sectors, leastSectors(access));
    return head + `<b class="${sectors > least ? "bad" : "good"}">${plural(sectors, "sector")}</b>` + (sectors > least ? `, ${least} would do` : "");
  }

  function picture(access) {
    const caption = access.space === "shared" ? "lanes above, banks below" : "lanes above, sectors of 32 bytes below";
    return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${caption}">${access.space === "shared" ? bankPicture(access) : sectorPicture(access)}</svg>`;
  }

  return { picture, sentence };
})();
