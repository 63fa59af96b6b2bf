/** Tracks work that goes on after an answer, so that an orderly stop can wait for it. */
export function createBackground(onError: (error: unknown) => void) {
  const running = new Set<Promise<unknown>>();
  return {
    add(work: Promise<unknown>): void {
      const tracked: Promise<unknown> = work.then(null, onError).then(() => running.delete(tracked));
      running.add(tracked);
    },
    /** Resolves when no work is left, including work that is added meanwhile. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
