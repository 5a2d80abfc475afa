// The recorded steps: bytes to events, and indexes that answer "what was it at step t" by binary search. Nothing here knows the page.

const UNIFORM = 0, AFFINE = 1;

function count(mask) {
  let n = 0;
  for (let left = mask; left; left &= left - 1) ++n;
  return n;
}

function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

class Reader {
  constructor(bytes) {
    this.view = new DataView(bytes.buffer);
    this.at = 0;
  }
  done() { return this.at >= this.view.byteLength; }
  u8() { return this.view.getUint8(this.at++); }
  u16() { this.at += 2; return this.view.getUint16(this.at - 2, true); }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  wide(width) {
    let value = 0, scale = 1;
    if (width === 8) { this.at += 8; return this.view.getBigUint64(this.at - 8, true); }
    for (let i = 0; i < width; ++i, scale *= 256) value += this.u8() * scale;
    return value;
  }
  /// Steps over what lanes() would read: most values of a recording are never looked at.
  skipLanes(mask, width) {
    const at = this.at, how = this.u8();
    this.at += how === UNIFORM ? width : how === AFFINE ? 2 * width : count(mask) * width;
    return at;
  }
  /// 32 numbers (BigInt when 8 bytes wide), undefined for lanes that are off.
  lanes(mask, width) {
    const out = new Array(32), how = this.u8();
    if (how !== UNIFORM && how !== AFFINE) {
      for (let lane = 0; lane < 32; ++lane) if (mask >>> lane & 1) out[lane] = this.wide(width);
      return out;
    }
    const base = this.wide(width), step = how === AFFINE ? this.wide(width) : width === 8 ? 0n : 0;
    const first = 31 - Math.clz32(mask & -mask);
    for (let lane = first; lane < 32; ++lane) {
      if (!(mask >>> lane & 1)) continue;
      out[lane] = width === 8 ? BigInt.asUintN(64, base + step * BigInt(lane - first)) : (base + step * (lane - first)) % 256 ** width;
    }
    return out;
  }
}

/// Numbers of 32 lanes, read when somebody asks.
class Lanes {
  constructor(reader, mask, width) {
    this.reader = reader;
    this.mask = mask;
    this.width = width;
    this.at = reader.skipLanes(mask, width);
  }
  get numbers() {
    if (!this.read) {
      this.reader.at = this.at;
      this.read = this.reader.lanes(this.mask, this.width);
    }
    return this.read;
  }
}

class Value {
  constructor(reader) {
    this.reg = reader.u16();
    this.lanes = reader.u32();
    this.undefinedLanes = reader.u32();
    this.numbers = new Lanes(reader, this.lanes, Math.max(reader.u8(), 1));
  }
  get bits() { return this.numbers.numbers; }
}

class Access {
  constructor(reader) {
    const flags = reader.u8();
    this.space = ["global", "shared", "local"][flags & 3];
    this.reads = !!(flags & 4);
    this.writes = !!(flags & 8);
    this.region = reader.u16();
    this.bytes = reader.u8();
    this.lanes = reader.u32();
    this.numbers = new Lanes(reader, this.lanes, 8);
  }
  get at() { return this.numbers.numbers.map(Number); }
}

function readEvent(r) {
  const event = { warp: r.u8(), site: r.u16(), mask: r.u32(), active: r.u32(), values: [], accesses: [], words: [], states: [] };
  for (let n = r.u16(); n > 0; --n) event.values.push(new Value(r));
  for (let n = r.u16(); n > 0; --n) event.accesses.push(new Access(r));
  for (let n = r.u16(); n > 0; --n) event.words.push({ at: r.u32(), value: r.u32(), lane: r.u8() });
  for (let n = r.u16(); n > 0; --n) event.states.push({ warp: r.u8(), state: r.u8(), barrier: r.u8() });
  return event;
}

/// Number of entries of `list` (ascending) whose `key` is at most `t`.
export function countUpTo(list, t, key = (entry) => entry) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (key(list[middle]) <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

const push = (map, key, entry) => (map.get(key) ?? map.set(key, []).get(key)).push(entry);
const eventOf = (entry) => entry.event;

export class Model {
  constructor(data) {
    this.data = data;
    const reader = new Reader(bytesOf(data.stream));
    this.events = [];
    while (!reader.done()) this.events.push(readEvent(reader));
    const threads = data.block[0] * data.block[1] * data.block[2];
    this.warps = Math.ceil(threads / 32);
    this.threads = threads;
    this.ofWarp = Array.from({ length: this.warps }, () => []);
    this.registerWrites = new Map();  // warp << 16 | reg -> [{event, value}]
    this.watchWrites = new Map();     // warp << 16 | watch
    this.wordWrites = new Map();      // address -> [{event, value, lane, warp}]
    this.stateChanges = Array.from({ length: this.warps }, () => []);
    this.events.forEach((event, i) => this.index(event, i));
  }

  index(event, i) {
    this.ofWarp[event.warp].push(i);
    for (const value of event.values) {
      push(this.registerWrites, event.warp << 16 | value.reg, { event: i, value });
      for (const watch of this.data.registers[value.reg].watch) push(this.watchWrites, event.warp << 16 | watch, { event: i, value });
    }
    for (const word of event.words) push(this.wordWrites, word.at, { event: i, warp: event.warp, ...word });
    for (const change of event.states) this.stateChanges[change.warp].push({ event: i, ...change });
  }

  /// Per lane the latest of `list` up to event t: {bits, event, undefined}, or nothing.
  latest(list, t) {
    const out = new Array(32);
    if (!list) return out;
    let missing = 0xffffffff;
    for (let i = countUpTo(list, t, eventOf) - 1; i >= 0 && missing; --i) {
      const { event, value } = list[i], found = value.lanes & missing;
      for (let lane = 0; lane < 32; ++lane) {
        if (found >>> lane & 1) out[lane] = { bits: value.bits[lane], event, undefined: !!(value.undefinedLanes >>> lane & 1) };
      }
      missing &= ~found;
    }
    return out;
  }
  watchAt(warp, watch, t) { return this.latest(this.watchWrites.get(warp << 16 | watch), t); }
  registerAt(warp, reg, t) { return this.latest(this.registerWrites.get(warp << 16 | reg), t); }

  wordAt(address, t) {
    const list = this.wordWrites.get(address);
    return list ? list[countUpTo(list, t, eventOf) - 1] : undefined;
  }

  /// {state, barrier, last}: how the warp stands after event t, and its last event (-1: none yet).
  warpAt(warp, t) {
    const mine = this.ofWarp[warp], done = countUpTo(mine, t);
    const changes = this.stateChanges[warp], change = changes[countUpTo(changes, t, eventOf) - 1];
    return { state: done === 0 ? 1 : change ? change.state : 0, barrier: change ? change.barrier : 0, last: done ? mine[done - 1] : -1 };
  }
}
