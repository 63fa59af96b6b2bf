import type { Logger } from '../observability/logger.ts';

export type Leftovers<T extends { name: string }> = ReturnType<typeof createLeftovers<T>>;

type LeftoverDependencies<T> = {
  /** Destroys the sandbox. "Already gone" is success. */
  destroy(leftover: T): Promise<void>;
  /** Aborts when the runtime closes; failures after that are not logged. */
  closing?: AbortSignal;
  log: Pick<Logger, 'warn'>;
};

/** The sandboxes of failed launches. Each is removed at once, or, if the runtime cannot be reached, when `retry` is called. */
export function createLeftovers<T extends { name: string }>({ destroy, closing, log }: LeftoverDependencies<T>) {
  const waiting = new Map<string, T>();
  const removing = new Map<string, Promise<void>>();

  function remove(leftover: T): Promise<void> {
    const { name } = leftover;
    const removal = tryToDestroy(leftover).finally(() => removing.get(name) === removal && removing.delete(name));
    removing.set(name, removal);
    return removal;
  }

  async function tryToDestroy(leftover: T): Promise<void> {
    const { name } = leftover;
    waiting.delete(name);
    try {
      await destroy(leftover);
    } catch (err) {
      if (closing?.aborted) return;
      waiting.set(name, leftover);
      log.warn({ err, sandbox: name }, 'could not remove the sandbox of a failed launch; will try again');
    }
  }

  return {
    /** Never throws. */
    remove,

    /** Waits for a removal that has begun and drops one that has not, because the name is about to be launched again. */
    async cancelRemoval(name: string): Promise<void> {
      await removing.get(name);
      waiting.delete(name);
    },

    /** Tries again to remove the sandboxes that could not be removed before. */
    retry(): void {
      for (const leftover of [...waiting.values()]) void remove(leftover);
    },
  };
}
