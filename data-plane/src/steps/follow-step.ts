import { Problem } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { ByteBudget } from '../agent/byte-budget.ts';
import type { LargeReads } from '../reading/large-reads.ts';
import type { Database } from '../registry/connect.ts';
import { type FoundStep, findStep } from '../registry/steps/find-step.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { keyMismatch } from '../sessions/idempotently.ts';
import { findStepNeed, type NeedDependencies } from './find-step-need.ts';
import { stepNotFound } from './frame-log.ts';
import { type LiveStep, LiveStepLog, readerOf } from './live-step.ts';
import { readUntilEnded, recordedFrames } from './read-elsewhere.ts';
import { startOf, stepFromRow } from './step-from-row.ts';

export type FollowDependencies = NeedDependencies & {
  db: Database;
  reads: LargeReads;
  agents: Pick<AgentClient, 'stream'>;
  liveSteps: ReadonlyMap<string, LiveStepLog>;
  byteBudget: Pick<ByteBudget, 'openCopy'>;
};

type StepKey = { caller: Caller; sessionId: string; stepId: string };

/**
 * All events of a step that runs on this replica, runs on another replica, or has ended.
 * @throws Problem 404, 410 (deleted session)
 */
export async function followStep(deps: FollowDependencies, { caller, sessionId, stepId }: StepKey): Promise<LiveStep> {
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  return await followKnownStep(deps, { sessionId, stepId });
}

/**
 * The same for a reader who may read the session.
 * @throws Problem 404
 */
export async function followKnownStep(
  deps: FollowDependencies,
  { sessionId, stepId }: Omit<StepKey, 'caller'>,
): Promise<LiveStep> {
  const live = deps.liveSteps.get(stepId);
  if (live?.sessionId === sessionId) return readerOf(live);
  const row = await findStep(deps.db, { sessionId, stepId });
  if (!row) throw stepNotFound(stepId);
  return row.finishedAt ? endedStep(deps, row) : followElsewhere(deps, row);
}

type Repeat = {
  sessionId: string;
  stepId: string;
  fingerprint: Buffer;
  /** Whether the step is answered although it still runs. */
  mayRun?: boolean | undefined;
};

/**
 * The step that an earlier request with the same id started; null if there was no such request.
 * @throws Problem 422 if that was another request, 409 if its step may not run, does, and waits for nothing
 */
export async function repeatedStep(
  deps: FollowDependencies,
  { sessionId, stepId, fingerprint, mayRun = false }: Repeat,
): Promise<LiveStep | null> {
  const row = await findStep(deps.db, { sessionId, stepId });
  if (!row) return null;
  if (!row.fingerprint?.equals(fingerprint)) throw keyMismatch();
  if (row.finishedAt) return endedStep(deps, row);
  const live = deps.liveSteps.get(stepId);
  if (mayRun || (await findStepNeed(deps, { row, live }))) return live ? readerOf(live) : followElsewhere(deps, row);
  throw new Problem('idempotency-conflict', { detail: `step ${stepId} is still running`, retryAfterSeconds: 1 });
}

function endedStep({ reads }: Pick<FollowDependencies, 'reads'>, row: FoundStep): LiveStep {
  const live = new LiveStepLog(startOf(row));
  live.append(recordedFrames(row, 0));
  live.finish(stepFromRow(reads, row));
  return live;
}

/**
 * Reads a step's frames from its agent while another replica records them. The end, and every frame that was missed here, comes from
 * the registry. If the memory is needed for steps of this replica, the reader is sent away, and may come again.
 */
function followElsewhere(deps: FollowDependencies, row: FoundStep): LiveStep {
  const stop = new AbortController();
  const end = () => {
    stop.abort();
    share.close();
  };
  const live = new LiveStepLog(startOf(row), { onDisconnected: end, onAnswered: end });
  const share = deps.byteBudget.openCopy(() => {
    end();
    live.fail(tooManyReaders());
    live.cut(0);
  });
  live.show();
  readUntilEnded(deps, { row, live, share, signal: stop.signal })
    .catch((error) => live.fail(error))
    .finally(share.close);
  return live;
}

const tooManyReaders = () =>
  new Problem('quota-exceeded', {
    detail: 'this replica has no memory left for readers of the step; read on after the last event that you have',
    retryAfterSeconds: 1,
  });
