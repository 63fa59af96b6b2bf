/** Runs work on sandboxes of the same name in the order it came, and work on different names side by side. */
export function createNameLocks() {
  const last = new Map<string, Promise<void>>();
  return {
    async run<T>(name: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      last.set(name, promise);
      await before;
      try {
        return await work();
      } finally {
        resolve();
        if (last.get(name) === promise) last.delete(name);
      }
    },
  };
}
