import { within } from './within.ts';

type HintOptions = {
  look: (sessionId: string) => Promise<void>;
  onError: (error: unknown, sessionId: string) => void;
  deadlineMs?: number;
};

const atOnce = 8;

/** Remembers what to look at: a hint that is given again while it waits is the same hint. Nobody looks twice at once at one session. */
export function createHints({ look, onError, deadlineMs = 60_000 }: HintOptions) {
  const waiting = new Set<string>();
  const looking = new Map<string, Promise<void>>();

  function lookAtNext(): void {
    for (const sessionId of waiting) {
      if (looking.size >= atOnce) return;
      if (looking.has(sessionId)) continue;
      waiting.delete(sessionId);
      const looked = within(look(sessionId), { ms: deadlineMs, what: 'a look' })
        .catch((error) => onError(error, sessionId))
        .finally(() => {
          looking.delete(sessionId);
          lookAtNext();
        });
      looking.set(sessionId, looked);
    }
  }

  return {
    hint(sessionId: string): void {
      waiting.add(sessionId);
      lookAtNext();
    },
    /** Resolves when all hints so far are looked at. */
    async settled(): Promise<void> {
      while (looking.size > 0) await Promise.all(looking.values());
    },
  };
}
