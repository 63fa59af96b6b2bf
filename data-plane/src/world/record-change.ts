import { Problem } from '@holdfast/specs/public';
import { type NewAuditEntry, recordAudit } from '../registry/audit/record-audit.ts';
import { databaseUnavailable } from '../registry/database-error.ts';
import type { Queries } from '../registry/queries.ts';

/**
 * Records a host's change of the working copy in the world, together with its entry in the audit log.
 *
 * @param record makes the change; false if the claim is no longer valid, `nothing` if there was nothing to change, and so nothing to record
 * @throws Problem 503 `world-unsettled` if the registry refuses it or the claim was taken over; the database's error if it is away
 */
export async function recordChange(
  db: Queries,
  entry: NewAuditEntry,
  record: (tx: Queries) => Promise<boolean | 'nothing'>,
): Promise<void> {
  const recorded = db.transaction(async (tx) => {
    const isRecorded = await record(tx);
    if (isRecorded && isRecorded !== 'nothing') await recordAudit(tx, entry);
    return isRecorded;
  });
  const isRecorded = await recorded.catch((cause) => {
    throw databaseUnavailable(cause) ? cause : unsettled(cause);
  });
  if (!isRecorded) throw unsettled();
}

const unsettled = (cause?: unknown) =>
  new Problem('world-unsettled', {
    detail:
      'the sandbox has made the change, but it could not be recorded; it is recorded within seconds or with the next change',
    retryAfterSeconds: 1,
    cause,
  });

export const worldIsBusy = () =>
  new Problem('world-unsettled', {
    detail: 'an earlier change to the files of this session takes long; this one was not made',
    retryAfterSeconds: 5,
  });
