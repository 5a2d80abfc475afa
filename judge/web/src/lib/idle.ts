/// When the browser has nothing urgent to do: soon, and after what is to be seen first.
export const idle = (): Promise<void> =>
  new Promise((done) => ('requestIdleCallback' in window ? requestIdleCallback(() => done(), { timeout: 300 }) : setTimeout(done, 30)));
