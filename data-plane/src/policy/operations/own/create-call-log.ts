import { type NewAuditEntry, recordAudit } from '../../../registry/audit/record-audit.ts';
import type { Database } from '../../../registry/connect.ts';

export type CallLog = ReturnType<typeof createCallLog>;

type Waiting = { entry: NewAuditEntry; recorded: PromiseWithResolvers<void> };

const batchMax = 100;

/** The entries of calls that change nothing. Those that wait at the same moment are recorded by one statement, so that a read stays cheap. */
export function createCallLog(db: Database) {
  const waiting: Waiting[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    for (let batch = waiting.splice(0, batchMax); batch.length > 0; batch = waiting.splice(0, batchMax)) {
      await write(db, batch);
    }
    isWriting = false;
  }

  return {
    /** Resolves when the entry is recorded. */
    record(entry: NewAuditEntry): Promise<void> {
      const recorded = Promise.withResolvers<void>();
      waiting.push({ entry, recorded });
      if (!isWriting) void writeAll();
      return recorded.promise;
    },
  };
}

/** An entry that cannot be recorded takes no other one with it. Never rejects. */
async function write(db: Database, batch: readonly Waiting[]): Promise<void> {
  try {
    await recordAudit(db, ...batch.map(({ entry }) => entry));
    for (const { recorded } of batch) recorded.resolve();
  } catch (error) {
    if (batch.length === 1) batch[0]?.recorded.reject(error);
    else for (const one of batch) await write(db, [one]);
  }
}
