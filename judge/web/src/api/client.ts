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
    /// Seconds after which it may be asked again; 0 where the server names none.
    readonly retryAfter = 0,
  ) {
    super(message);
  }

  /// "line 3, column 2": what part of what was sent it concerns.
  get where(): string {
    return (this.body as { error?: { where?: string } } | null)?.error?.where ?? '';
  }
}

/// What a class needs beside a request: a token that says the request comes from these pages, and somebody to hear that nobody is signed in.
/// The workbook of one learner has neither.
export interface Guard {
  token(): Promise<string | null>;
  signedOut(): void;
  /// The token is of another session than the cookie. Whether the request may be sent again: not when somebody else has signed in.
  badToken(): Promise<boolean>;
}

let guard: Guard | null = null;
export const useGuard = (one: Guard): void => {
  guard = one;
};

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
  throw new ApiError(response.status, error?.code ?? 'unknown', error?.message ?? response.statusText, body, Number(response.headers.get('Retry-After')) || 0);
}

async function ask(method: string, path: string, query: Query | undefined, body: unknown, keepalive: boolean): Promise<Response> {
  const token = method === 'GET' ? null : await guard?.token();
  try {
    return await fetch(address(path, query), {
      method,
      keepalive,
      ...(method === 'GET' ? {} : { headers: { 'Content-Type': 'application/json', ...(token ? { 'X-Warpbook-Token': token } : {}) }, body: JSON.stringify(body ?? {}) }),
    });
  } catch (error) {
    throw new ApiError(0, 'offline', String(error), null);
  }
}

/// The guard hears of an answer that is about who asks.
async function heard<T>(response: Response, again: () => Promise<T>): Promise<T> {
  try {
    return await answer<T>(response);
  } catch (error) {
    if (!(error instanceof ApiError) || !guard) throw error;
    if (error.code === 'signed-out') guard.signedOut();
    if (error.code === 'bad-token' && (await guard.badToken())) return again();
    throw error;
  }
}

async function send<T>(method: string, path: string, query?: Query, body?: unknown, keepalive = false): Promise<T> {
  const once = (): Promise<Response> => ask(method, path, query, body, keepalive);
  return heard<T>(await once(), async () => answer<T>(await once()));
}

/// A file that the server offers, with the name it gives.
export async function download(path: string, query: Query): Promise<{ name: string; file: Blob }> {
  const response = await ask('GET', path, query, null, false);
  if (!response.ok) return heard(response, () => Promise.reject(new Error('not asked twice')));
  const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  return { name: name ?? 'gradebook', file: await response.blob() };
}

export const get = <T>(path: string, query?: Query): Promise<T> => send('GET', path, query);
export const post = <T>(path: string, body?: unknown, query?: Query): Promise<T> => send('POST', path, query, body);
export const put = <T>(path: string, body: unknown, query?: Query, keepalive = false): Promise<T> => send('PUT', path, query, body, keepalive);
export const remove = <T>(path: string, body?: unknown): Promise<T> => send('DELETE', path, undefined, body);

/// The path of a task's resource; ids come from the address bar.
export const ofTask = (id: string, rest = ''): string => `/api/tasks/${encodeURIComponent(id)}${rest}`;
