// Two addresses: / is the map, /tasks/ID a task. Links stay ordinary links, so that a middle click opens a tab.

export type Place = { page: 'map' } | { page: 'task'; id: string } | { page: 'none' };

function placeOf(path: string): Place {
  if (path === '/' || path === '/index.html') return { page: 'map' };
  const task = /^\/tasks\/([^/]+)\/?$/.exec(path);
  return task?.[1] ? { page: 'task', id: decodeURIComponent(task[1]) } : { page: 'none' };
}

class Router {
  place: Place = $state.raw(placeOf(location.pathname));

  go(path: string): void {
    history.pushState(null, '', path);
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
      if (!link || link.origin !== location.origin || link.target || link.hash || link.pathname.startsWith('/api/')) return;
      event.preventDefault();
      this.go(link.pathname);
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
