import { withDeadline } from '../timing/with-deadline.ts';

type HintOptions = {
  look: (what: string) => Promise<void>;
  onError: (error: unknown, what: string) => void;
  deadlineMs?: number;
};

const atOnce = 8;

/** Remembers what to look at: a hint that is given again while it waits is the same hint. Nobody looks twice at once at one thing. */
export function createHints({ look, onError, deadlineMs = 60_000 }: HintOptions) {
  const waiting = new Set<string>();
  const looking = new Map<string, Promise<void>>();

  function lookAtNext(): void {
    for (const what of waiting) {
      if (looking.size >= atOnce) return;
      if (looking.has(what)) continue;
      waiting.delete(what);
      const looked = withDeadline(look(what), { ms: deadlineMs, what: 'a look' })
        .catch((error) => onError(error, what))
        .finally(() => {
          looking.delete(what);
          lookAtNext();
        });
      looking.set(what, looked);
    }
  }

  return {
    hint(what: string): void {
      waiting.add(what);
      lookAtNext();
    },
    /** Resolves when all hints so far are looked at. */
    async settled(): Promise<void> {
      while (looking.size > 0) await Promise.all(looking.values());
    },
  };
}
