export function number(bits: number | bigint, type: string): number | bigint;
/// At most five characters.
export function short(bits: number | bigint, type: string): string;
/// Number and bits.
export function exact(bits: number | bigint, type: string): string;
export function isFloat(type: string): boolean;
