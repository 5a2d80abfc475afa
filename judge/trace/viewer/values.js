// How the bits of a register or a word of memory are written: short enough for a cell of five characters, exact in its tooltip.

const scratch = new DataView(new ArrayBuffer(8));

function float32(bits) {
  scratch.setUint32(0, Number(bits));
  return scratch.getFloat32(0);
}
function float64(bits) {
  scratch.setBigUint64(0, BigInt(bits));
  return scratch.getFloat64(0);
}
function float16(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction);
}

/// A type is "f32", "s32", "u64", "pred" ... ; PTX's untyped "b32" counts as s32: most such registers hold ints.
export function number(bits, type) {
  switch (type) {
    case "f32": return float32(bits);
    case "f64": return float64(bits);
    case "f16": return float16(Number(bits));
    case "bf16": return float32(Number(bits) * 65536);
    case "s64": return BigInt.asIntN(64, BigInt(bits));
    case "u64": case "b64": return BigInt(bits);
    case "s16": return Number(bits) << 16 >> 16;
    case "s32": case "b32": return Number(bits) | 0;
    default: return Number(bits);
  }
}

export const isFloat = (type) => type === "f32" || type === "f64" || type === "f16" || type === "bf16";

/// At most five characters.
export function short(bits, type) {
  if (type === "pred") return bits ? "1" : "0";
  const value = number(bits, type);
  if (isFloat(type)) {
    if (Number.isNaN(value)) return "NaN";
    if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
    if (value === 0) return Object.is(value, -0) ? "−0" : "0";
    const size = Math.abs(value);
    if (size >= 1e4 || size < 1e-2) return value.toExponential(0).replace("e+", "e").replace("-", "−");
    if (Number.isInteger(value)) return String(value).replace("-", "−");
    const room = value < 0 ? 4 : 5;
    return (value < 0 ? "−" : "") + size.toFixed(Math.max(0, room - String(Math.trunc(size)).length - 1)).slice(0, room).replace(/\.$/, "");
  }
  const text = String(value);
  if (text.length <= 5) return text.replace("-", "−");
  return "…" + BigInt(bits).toString(16).slice(-4);  // an address: its end tells lanes apart
}

/// All there is to say, for tooltips.
export function exact(bits, type) {
  const hex = "0x" + BigInt(bits).toString(16).padStart(type === "pred" ? 1 : type.endsWith("64") ? 16 : type.endsWith("16") ? 4 : 8, "0");
  const value = number(bits, type);
  return `${isFloat(type) ? (type === "f64" ? String(value) : Number(value).toPrecision(9)) : value}  ${hex}`;
}
