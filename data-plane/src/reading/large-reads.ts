import { Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { translateDatabaseError, wasCancelled } from '../registry/database-error.ts';
import { createFairTurns } from '../timing/fair-turns.ts';
import type { Reader } from './json-slices.ts';

export type LargeReads = ReturnType<typeof createLargeReads>;

/** Each may hold about a megabyte: the piece that was read, and what its client has not taken yet. */
const atOnceMax = 32;
const perTenantMax = 4;
const waitMsMax = 10_000;
const triesMax = 3;

/**
 * Reads what is too large to be read at once: in pieces of `pieceBytes`, on connections that nothing else needs. A few answers of one
 * tenant are read at the same time, the others wait.
 */
export function createLargeReads({ db, limits = {} }: { db: Database; limits?: Partial<typeof defaults> }) {
  const turns = createFairTurns({ ...defaults, ...limits });
  return {
    /**
     * Runs one short statement of an answer, which is cancelled when its client leaves.
     * @throws Problem `quota-exceeded` if the tenant's other answers took too long, `database-unavailable`; the reason of the signal
     */
    async read<T>({ tenant, signal }: Reader, statement: (db: Database) => Promise<T>): Promise<T> {
      if (!(await turns.enter(tenant, signal))) throw tooMany();
      for (let tried = 1; ; tried++) {
        try {
          return await statement(db);
        } catch (error) {
          signal.throwIfAborted();
          // Postgres cancels by connection: the cancellation of another statement may have come late and hit this one.
          if (tried === triesMax || !wasCancelled(error)) throw translateDatabaseError(error);
        }
      }
    },
    waiting: turns.waiting,
  };
}

const defaults = { atOnceMax, perKeyMax: perTenantMax, waitMsMax };

const tooMany = () =>
  new Problem('quota-exceeded', {
    detail: `at most ${perTenantMax} large answers are sent to a tenant at the same time: read those that have begun first`,
    retryAfterSeconds: 1,
  });

/** Small enough to be read, rendered and sent without holding up other work for more than some milliseconds. */
export const pieceBytes = 256 * 1024;
