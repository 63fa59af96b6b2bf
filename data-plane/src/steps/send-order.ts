export type SendOrder = ReturnType<typeof createSendOrder>;

/**
 * Makes the steps of one context reach their agent in the order in which clients sent them. Requests on separate connections overtake
 * one another, so each step is sent only when the agent has taken the one before it. Steps wait for this in order to be sent; the
 * queue of steps that wait for the kernel is the agent's.
 */
export function createSendOrder() {
  const last = new Map<string, Promise<void>>();
  return {
    /** `before` is undefined if the step can be sent at once. `release` allows the next step to be sent; it may be called again. */
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
