export type SessionLocks = ReturnType<typeof createSessionLocks>;

/** Runs the work of one session in the order it came, and the work of different sessions side by side. */
export function createSessionLocks() {
  const last = new Map<string, Promise<void>>();
  return {
    async run<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(sessionId);
      const { promise, resolve } = Promise.withResolvers<void>();
      last.set(sessionId, promise);
      await before;
      try {
        return await work();
      } finally {
        resolve();
        if (last.get(sessionId) === promise) last.delete(sessionId);
      }
    },
  };
}
