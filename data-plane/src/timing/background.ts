/** Keeps hold of work that goes on after an answer, so that an orderly stop can wait for it. */
export function createBackground(onError: (error: unknown) => void) {
  const running = new Set<Promise<unknown>>();
  return {
    add(work: Promise<unknown>): void {
      const kept: Promise<unknown> = work.catch(onError).finally(() => running.delete(kept));
      running.add(kept);
    },
    /** Resolves when nothing is left, also of what was added meanwhile. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
