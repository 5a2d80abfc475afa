// One way to ask the server. Every route answers JSON; what is no success becomes an ApiError with the server's own code and message, so
// that a page can show what happened without knowing which route it was.

/// An answer that is no success. `code` is the server's word ("not-found"), or "offline" when there was no answer at all.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /// The whole answer: a conflict carries the other text.
    readonly body: unknown,
  ) {
    super(message);
  }
}

type Query = Record<string, string | undefined>;

function address(path: string, query?: Query): string {
  const words = Object.entries(query ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return words.length === 0 ? path : `${path}?${new URLSearchParams(words)}`;
}

async function answer<T>(response: Response): Promise<T> {
  const text = await response.text();
  let body: unknown = null;
  try {
    body = text === '' ? null : JSON.parse(text);
  } catch {
    throw new ApiError(response.status, 'not-json', `${response.status} ${response.statusText}`, text);
  }
  if (response.ok) return body as T;
  const error = (body as { error?: { code?: string; message?: string } } | null)?.error;
  throw new ApiError(response.status, error?.code ?? 'unknown', error?.message ?? response.statusText, body);
}

async function send<T>(method: string, path: string, query?: Query, body?: unknown, keepalive = false): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address(path, query), {
      method,
      keepalive,
      ...(method === 'GET' ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body ?? {}) }),
    });
  } catch (error) {
    throw new ApiError(0, 'offline', String(error), null);
  }
  return answer<T>(response);
}

export const get = <T>(path: string, query?: Query): Promise<T> => send('GET', path, query);
export const post = <T>(path: string, body?: unknown, query?: Query): Promise<T> => send('POST', path, query, body);
export const put = <T>(path: string, body: unknown, query?: Query, keepalive = false): Promise<T> => send('PUT', path, query, body, keepalive);
export const remove = <T>(path: string): Promise<T> => send('DELETE', path);

/// The path of a task's resource; ids come from the address bar.
export const ofTask = (id: string, rest = ''): string => `/api/tasks/${encodeURIComponent(id)}${rest}`;
