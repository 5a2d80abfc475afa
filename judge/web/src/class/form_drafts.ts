// What an instructor typed into a form and did not send yet: kept for this tab and this person, so that a session that ends, or a reload,
// loses nothing. The tab's memory, not the browser's: lists hold names.
import { session } from '../lib/session.svelte';

const place = (key: string): string => `warpbook.form.${session.owner}${key}`;

export function kept(key: string): string {
  try {
    return sessionStorage.getItem(place(key)) ?? '';
  } catch {
    return '';
  }
}

export function keep(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(place(key));
    else sessionStorage.setItem(place(key), text);
  } catch {
    // Not kept.
  }
}
