// Server-sent events as plain calls. The browser reconnects by itself and says where it left off.

type Handlers = Record<string, (data: unknown) => void>;

/// Listens at `path` until the function that comes back is called. Data that is no JSON is dropped.
export function listen(path: string, handlers: Handlers, lost?: () => void): () => void {
  const source = new EventSource(path);
  for (const [name, handle] of Object.entries(handlers)) {
    source.addEventListener(name, (event) => {
      let data: unknown;
      try {
        data = JSON.parse((event as MessageEvent<string>).data);
      } catch {
        return;
      }
      handle(data);
    });
  }
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) lost?.();
  };
  return () => source.close();
}
