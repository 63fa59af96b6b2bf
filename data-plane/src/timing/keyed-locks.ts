/** Runs work under the same key in the order it came, and work under different keys side by side. */
export function createKeyedLocks() {
  const last = new Map<string, Promise<void>>();
  return {
    isRunning: (key: string): boolean => last.has(key),

    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      last.set(key, promise);
      await before;
      try {
        return await work();
      } finally {
        resolve();
        if (last.get(key) === promise) last.delete(key);
      }
    },
  };
}
