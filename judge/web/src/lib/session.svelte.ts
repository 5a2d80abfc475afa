// Who uses these pages. A class asks for a person; when the session has ended, the sign-in page comes up and leads back to where one was.
// What was typed meanwhile is in drafts, which are kept under the person's number: somebody else who signs in here never sees them.
import { ApiError, useGuard } from '../api/client';
import { session as ask, type Person, type Session } from '../api/session';
import { placeOf, router } from './router.svelte';

const kAgain = 4000; ///< ms

class SessionState {
  now: Session | null = $state.raw(null);
  /// The session ended while a page was open, or another person has signed in since.
  ended = $state(false);
  /// They asked to sign out, and the server has not answered yet.
  leaving = false;
  readonly person: Person | null = $derived(this.now?.form === 'class' ? this.now.person : null);
  readonly instructor = $derived(this.person?.role === 'instructor');
  #known: Promise<void> | null = null;
  #checking = false;

  /// Once, before anything is sent; a server that does not answer is asked again, at the latest by the next call.
  load(): Promise<void> {
    this.#known ??= this.#ask().catch(() => {
      this.#known = null;
      setTimeout(() => void this.load(), kAgain);
    });
    return this.#known;
  }

  async #ask(): Promise<void> {
    try {
      this.take(await ask());
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      this.take({ form: 'single' });
    }
  }

  take(now: Session): void {
    this.now = now;
    this.#known = Promise.resolve();
    if (this.person) this.ended = false;
  }

  /// What drafts of this person are called by; the workbook of one learner has one owner.
  get owner(): string {
    return this.person ? `${this.person.id}.` : '';
  }

  async token(): Promise<string | null> {
    await this.load();
    return this.now?.form === 'class' ? this.now.token : null;
  }

  /// Somebody was told that nobody is signed in. Asked once more, because an answer may be older than a sign-in since.
  async signedOut(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const now = await ask().catch(() => null);
    this.#checking = false;
    if (now?.form === 'class' && now.person) return this.take(now);
    if (this.person) this.ended = true;
    this.leave();
    toSignIn();
  }

  leave(): void {
    if (this.now?.form === 'class') this.now = { ...this.now, person: null, token: null };
    else this.#known = null;
  }

  async badToken(): Promise<boolean> {
    const before = this.person?.id;
    this.#known = null;
    const now = await ask().catch(() => null);
    if (now?.form !== 'class') return false;
    if (now.person && now.person.id === before) {
      this.take(now);
      return true;
    }
    // Another person: this page was somebody else's.
    if (now.person) router.go('/');
    else toSignIn();
    this.take(now);
    return false;
  }
}

/// Addresses that want nobody signed in.
const isOpen = (path: string): boolean => ['sign-in', 'invitation'].includes(placeOf(path).page);

function toSignIn(): void {
  if (isOpen(location.pathname)) return;
  router.go(`/sign-in?${new URLSearchParams({ back: location.pathname + location.search })}`);
}

/// Where the sign-in page leads: an address of ours, never one of another host.
export function wayBack(search: string): string | null {
  const back = new URLSearchParams(search).get('back');
  return back && /^\/(?![/\\])/.test(back) && !isOpen(back.replace(/\?.*/, '')) ? back : null;
}

export const session = new SessionState();
useGuard({ token: () => session.token(), signedOut: () => void session.signedOut(), badToken: () => session.badToken() });
