import type { AgentClient } from '../agent/agent-client.ts';
import type { Logger } from '../observability/logger.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import { recordChanges } from '../registry/world-files/record-changes.ts';
import { releaseWorld } from '../registry/world-files/release-world.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { compareWorld } from './compare-world.ts';
import { type StoreFilesDependencies, storeChangedFiles, storedFiles } from './store-changed-files.ts';

export type SettleDependencies = StoreFilesDependencies & {
  agents: Pick<AgentClient, 'call' | 'readFile'>;
  log: Pick<Logger, 'warn' | 'error'>;
  limits: { uploadBytesMax: number };
};

/** For the comparison; storing the files that differ has a limit of its own. */
const compareMsMax = 60_000;

/**
 * Makes a marked world equal to the working copy, which is newer: each write changes the working copy first. Releases the claim, and
 * removes the mark if everything could be compared and stored. Files beyond a limit stay out, as after a step. Never throws.
 */
export async function settleWorld(
  deps: SettleDependencies,
  { route, claim }: { route: Route; claim: WorldClaim },
): Promise<void> {
  const { db, log, limits } = deps;
  const { sessionId } = claim;
  const fileBytesMax = Math.max(limits.uploadBytesMax, limits.keptFileBytesMax);
  try {
    const { changes, remove, directories, isCut } = await compareWorld(
      { ...deps, fileBytesMax },
      { route, signal: AbortSignal.timeout(compareMsMax) },
    );
    // An upload may be larger than a file that a step leaves. All files together are limited by what a session can store.
    const roomy = { ...limits, keptFileBytesMax: fileBytesMax, keptStepBytesMax: limits.keptSessionBytesMax };
    const files = await storeChangedFiles(
      { ...deps, limits: roomy },
      { route, claim, changes, filesMax: changes.length, isPatient: false },
    );
    const put = storedFiles(files);
    const isUnsettled = files.some(({ isFailed, omission }) => isFailed || omission === 'changing');
    await recordChanges(db, { claim: { ...claim, isUnsettled }, artifacts: [], put, remove, directories });
    const stored = { stored: put.length, omitted: files.length - put.length, removed: remove.length };
    log.warn({ sessionId, ...stored, isCut, isUnsettled }, 'a marked world was compared with the working copy');
  } catch (err) {
    log.warn({ sessionId, err }, 'a marked world could not be compared with the working copy');
    // If this fails as well, the mark stays by itself: the claim is still there.
    await releaseWorld(db, { ...claim, isUnsettled: true }).catch(() => {});
  }
}
