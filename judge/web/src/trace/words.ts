// Numbers of the time machine as text: runs of lanes, and the block that somebody typed.

/// 0, 1, 2, 5 -> "0–2, 5"; the numbers ascend.
export function ranges(numbers: number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length; ) {
    let end = i;
    while (numbers[end + 1] === (numbers[end] ?? 0) + 1) end += 1;
    parts.push(end === i ? `${numbers[i]}` : `${numbers[i]}–${numbers[end]}`);
    i = end + 1;
  }
  return parts.join(', ');
}

/// "", "7" or "1, 2, 0"; null for anything else.
export function blockOf(text: string): number | [number, number, number] | undefined | null {
  if (text.trim() === '') return undefined;
  const numbers = text.split(/[,，]/).map((part) => (/^\s*\d{1,9}\s*$/.test(part) ? Number(part) : NaN));
  if (numbers.some(Number.isNaN)) return null;
  const [x, y, z] = numbers;
  if (numbers.length === 3 && x !== undefined && y !== undefined && z !== undefined) return [x, y, z];
  return numbers.length === 1 ? x : null;
}
