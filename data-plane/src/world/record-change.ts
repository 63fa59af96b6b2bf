import { Problem } from '@holdfast/specs/public';
import { databaseUnavailable } from '../registry/database-error.ts';

/**
 * Runs the statement that records a host's change of the working copy in the world.
 * @throws Problem 503 `world-unsettled` if the registry refuses it or the claim was taken over; the database's error if it is away
 */
export async function recordChange(record: () => Promise<boolean>): Promise<void> {
  const isRecorded = await record().catch((cause) => {
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
