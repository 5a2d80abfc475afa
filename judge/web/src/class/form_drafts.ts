// What an instructor typed into a form and did not send yet: kept for this tab and this person, so that a session that ends, or a reload,
// loses nothing. The tab's memory, not the browser's: lists hold names.
import { forget, inTab, recall, remember } from '../lib/memory';
import { session } from '../lib/session.svelte';

const place = (key: string): string => `form.${session.owner}${key}`;

export const kept = (key: string): string => recall(place(key), inTab) ?? '';

export function keep(key: string, text: string): void {
  if (text === '') forget(place(key), inTab);
  else remember(place(key), text, inTab);
}
