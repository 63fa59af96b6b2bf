export type SubmissionOrder = ReturnType<typeof createSubmissionOrder>;

/**
 * Lets the steps of one context reach the agent in the order in which they came: each is sent when the one before it was taken,
 * since requests on separate connections overtake one another. It is the sending that waits, not the running.
 */
export function createSubmissionOrder() {
  const last = new Map<string, Promise<void>>();
  return {
    /** `before` is absent where nobody is ahead. `release` lets the next one be sent; may be called again. */
    join(contextKey: string): { before: Promise<void> | undefined; release: () => void } {
      const before = last.get(contextKey);
      const { promise, resolve } = Promise.withResolvers<void>();
      last.set(contextKey, promise);
      const release = () => {
        resolve();
        if (last.get(contextKey) === promise) last.delete(contextKey);
      };
      return { before, release };
    },
  };
}
