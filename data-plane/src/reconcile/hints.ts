import { withDeadline } from '../timing/with-deadline.ts';

type HintOptions = {
  check: (key: string) => Promise<void>;
  onError: (error: unknown, key: string) => void;
  deadlineMs?: number;
};

const atOnce = 8;

/**
 * A queue of keys to check. A key that is hinted again while it waits is checked once; a key that is hinted during its check is checked
 * again afterwards. The same key is never checked twice at the same time.
 */
export function createHints({ check, onError, deadlineMs = 60_000 }: HintOptions) {
  const waiting = new Set<string>();
  const checking = new Map<string, Promise<void>>();

  function checkNext(): void {
    for (const key of waiting) {
      if (checking.size >= atOnce) return;
      if (checking.has(key)) continue;
      waiting.delete(key);
      const checked = withDeadline(check(key), { ms: deadlineMs, what: 'a check' })
        .catch((error) => onError(error, key))
        .finally(() => {
          checking.delete(key);
          checkNext();
        });
      checking.set(key, checked);
    }
  }

  return {
    hint(key: string): void {
      waiting.add(key);
      checkNext();
    },
    /** Resolves when all hints so far have been followed. */
    async settled(): Promise<void> {
      while (checking.size > 0) await Promise.all(checking.values());
    },
  };
}
