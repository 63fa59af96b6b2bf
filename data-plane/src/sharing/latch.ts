/** Something that happened, for one that waits for it. */
export function createLatch() {
  let isSet = false;
  let release: (() => void) | null = null;
  return {
    set(): void {
      isSet = true;
      release?.();
    },
    clear(): void {
      isSet = false;
    },
    /** Resolves when the latch is set or the time is over. */
    async wait(ms: number): Promise<void> {
      if (isSet) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      release = resolve;
      await promise;
      clearTimeout(timer);
      release = null;
    },
  };
}
