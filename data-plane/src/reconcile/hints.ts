/** Remembers what to look at: a hint that is given again while it waits is the same hint. */
export function createHints(look: (sessionId: string) => Promise<void>) {
  const waiting = new Set<string>();
  let running: Promise<void> | null = null;

  async function lookAtAll(): Promise<void> {
    for (const sessionId of waiting) {
      waiting.delete(sessionId);
      await look(sessionId).catch(() => {});
    }
    running = null;
  }

  return {
    hint(sessionId: string): void {
      waiting.add(sessionId);
      running ??= Promise.resolve().then(lookAtAll);
    },
    /** Resolves when all hints so far are looked at. */
    settled: () => running ?? Promise.resolve(),
  };
}
