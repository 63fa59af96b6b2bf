import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';
import { databaseUnavailable } from '../registry/database-error.ts';

const retryMs = 200;

/** A file storage that is away is a failure of single files: the database still records the step. */
const storagePatienceMs = 10_000;

/**
 * Repeats `work` while the database is unavailable: for as long as that takes if `isPatient`, since the end of a step cannot be recorded
 * meanwhile either, and otherwise not at all.
 */
export async function retryThroughOutage<T>(work: () => Promise<T>, { isPatient }: { isPatient: boolean }): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const mayRetry = isPatient && (isDatabaseAway(error) || isStorageAway(error, performance.now() - startMs));
      if (!mayRetry) throw error;
      await delay(retryMs);
    }
  }
}

/** A broken connection to an agent or a file storage has the same error codes as one to the database. */
export const isDatabaseAway = (error: unknown): boolean =>
  !(error instanceof AgentError) && !(error instanceof Problem) && databaseUnavailable(error);

const isStorageAway = (error: unknown, elapsedMs: number) =>
  error instanceof Problem && error.slug === 'storage-unavailable' && elapsedMs < storagePatienceMs;
