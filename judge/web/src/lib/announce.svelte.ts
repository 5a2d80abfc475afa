// One live region for the whole page: what happened, in words, for who does not see it. What can be seen elsewhere is only spoken; the rest
// is also shown for a moment.

class Announcer {
  text = $state('');
  seen = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(text: string, seen: boolean): void {
    clearTimeout(this.#timer);
    // The same words again are news only when the region was empty in between.
    this.text = this.text === text ? `${text}\u00a0` : text;
    this.seen = seen;
    this.#timer = setTimeout(() => (this.text = ''), 6000);
  }
}

export const announcer = new Announcer();
/// Spoken.
export const say = (text: string): void => announcer.say(text, false);
/// Spoken and shown.
export const tell = (text: string): void => announcer.say(text, true);
