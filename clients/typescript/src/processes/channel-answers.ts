import { connectionBroke } from '../http/holdfast-error.ts';
import type { ChannelCommand } from './channel-messages.ts';

type Unanswered = { type: ChannelCommand['type']; resolve(): void; reject(error: unknown): void };

/** The commands of a channel that its server has not answered yet. */
export function createChannelAnswers() {
  const unanswered = new Map<number, Unanswered>();
  let lastId = 0;
  const take = (id: number) => {
    const call = unanswered.get(id);
    unanswered.delete(id);
    return call;
  };
  const takeAll = () => {
    const calls = [...unanswered.values()];
    unanswered.clear();
    return calls;
  };
  return {
    newId: (): number => ++lastId,

    /** Resolves once the command with this id is done. */
    to(id: number, type: ChannelCommand['type']): Promise<void> {
      const answer = new Promise<void>((resolve, reject) => unanswered.set(id, { type, resolve, reject }));
      // It can come while the caller still waits for the command to leave.
      answer.catch(() => {});
      return answer;
    },
    done: (id: number): void => take(id)?.resolve(),
    refuse: (id: number, error: unknown): void => take(id)?.reject(error),

    /** The connection broke. A size is sent again with the next one; any other command may have arrived or not. */
    lose(): void {
      for (const { type, resolve, reject } of takeAll()) {
        if (type === 'resize') resolve();
        else reject(connectionBroke());
      }
    },

    /** The process has ended, so that no signal matters any more, or the caller has left. */
    end(failure: { error: unknown } | null): void {
      for (const { resolve, reject } of takeAll()) {
        if (failure) reject(failure.error);
        else resolve();
      }
    },
  };
}
