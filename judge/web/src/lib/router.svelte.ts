// The addresses: / is the map, /tasks/ID a task, the rest belongs to a class. Links stay ordinary links, so that a middle click opens a tab.

export type Place =
  | { page: 'map' | 'sign-in' | 'class' | 'people' | 'none' }
  | { page: 'task'; id: string }
  | { page: 'invitation'; token: string }
  | { page: 'submission'; person: number; task: string }
  | { page: 'statistics'; task: string };

/// A part of an address as it was meant; as it stands where it is no proper escape.
function plain(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? '');
  } catch {
    return part ?? '';
  }
}

const kPlaces: [RegExp, (parts: string[]) => Place][] = [
  [/^\/(?:index\.html)?$/, () => ({ page: 'map' })],
  [/^\/tasks\/([^/]+)\/?$/, ([, id]) => ({ page: 'task', id: plain(id) })],
  [/^\/sign-in\/?$/, () => ({ page: 'sign-in' })],
  [/^\/invitations\/([^/]+)\/?$/, ([, token]) => ({ page: 'invitation', token: plain(token) })],
  [/^\/class\/?$/, () => ({ page: 'class' })],
  [/^\/class\/people\/?$/, () => ({ page: 'people' })],
  [/^\/class\/people\/(\d+)\/tasks\/([^/]+)\/?$/, ([, person, task]) => ({ page: 'submission', person: Number(person), task: plain(task) })],
  [/^\/class\/tasks\/([^/]+)\/?$/, ([, task]) => ({ page: 'statistics', task: plain(task) })],
];

export function placeOf(path: string): Place {
  for (const [form, place] of kPlaces) {
    const parts = form.exec(path);
    if (parts) return place([...parts]);
  }
  return { page: 'none' };
}

class Router {
  place: Place = $state.raw(placeOf(location.pathname));

  go(path: string): void {
    history.pushState(null, '', path);
    this.#arrive();
  }

  /// As go(), for a page that nobody should come back to.
  replace(path: string): void {
    history.replaceState(null, '', path);
    this.#arrive();
  }

  #arrive(): void {
    this.place = placeOf(location.pathname);
    window.scrollTo(0, 0);
  }

  /// Follows the back button and plain clicks on links of ours; the answer ends it.
  start(): () => void {
    const back = (): void => {
      this.place = placeOf(location.pathname);
    };
    const click = (event: MouseEvent): void => {
      if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      const link = (event.target as Element).closest('a');
      if (!link || link.origin !== location.origin || link.target || link.hash || link.hasAttribute('download') || link.pathname.startsWith('/api/')) return;
      event.preventDefault();
      this.go(link.pathname + link.search);
    };
    addEventListener('popstate', back);
    document.addEventListener('click', click);
    return () => {
      removeEventListener('popstate', back);
      document.removeEventListener('click', click);
    };
  }
}

export const router = new Router();
export const taskPath = (id: string): string => `/tasks/${encodeURIComponent(id)}`;
export const statisticsPath = (task: string): string => `/class/tasks/${encodeURIComponent(task)}`;
export const submissionPath = (person: number, task: string): string => `/class/people/${person}/tasks/${encodeURIComponent(task)}`;
