// What the browser remembers for the workbook: for good (localStorage), or as long as the tab is open. One that forbids storage forgets it, and
// nothing else changes. Which of the two is a function, because reading the very name throws where storage is forbidden.
type Kept = () => Storage;
const forGood: Kept = () => localStorage;
export const inTab: Kept = () => sessionStorage;

const place = (key: string): string => `warpbook.${key}`;

export function recall(key: string, kept: Kept = forGood): string | null {
  try {
    return kept().getItem(place(key));
  } catch {
    return null;
  }
}

export function remember(key: string, value: string, kept: Kept = forGood): void {
  try {
    kept().setItem(place(key), value);
  } catch {
    // Not remembered.
  }
}

export function forget(key: string, kept: Kept = forGood): void {
  try {
    kept().removeItem(place(key));
  } catch {
    // Nothing was remembered.
  }
}
