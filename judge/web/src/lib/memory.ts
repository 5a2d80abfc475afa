// What the browser remembers for the workbook. One that forbids storage forgets it, and nothing else changes.

const place = (key: string): string => `warpbook.${key}`;

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(place(key));
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(place(key), value);
  } catch {
    // Not remembered.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(place(key));
  } catch {
    // Nothing was remembered.
  }
}
