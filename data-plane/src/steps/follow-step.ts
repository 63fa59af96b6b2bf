import { setTimeout as delay } from 'node:timers/promises';
import { type Frame, framesIn } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { ByteBudget } from '../agent/byte-budget.ts';
import type { LargeReads } from '../reading/large-reads.ts';
import type { Database } from '../registry/connect.ts';
import { type FoundStep, findStep } from '../registry/steps/find-step.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { reserveContextEpoch } from '../sessions/reserve-context-epoch.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { findStepNeed, type NeedDependencies } from './find-step-need.ts';
import { stepNotFound } from './frame-log.ts';
import { FrameIntake } from './frames/frame-intake.ts';
import { type LiveStep, LiveStepLog, readerOf } from './live-step.ts';
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
  const live = deps.liveSteps.get(stepId);
  if (live?.sessionId === sessionId) return readerOf(live);
  const row = await findStep(deps.db, { sessionId, stepId });
  if (!row) throw stepNotFound(stepId);
  return row.finishedAt ? endedStep(deps, row) : followElsewhere(deps, row);
}

/**
 * The step that an earlier request with the same id started; null if there was no such request.
 * @throws Problem 422 if that was another request, 409 if its step is still running and waits for nothing
 */
export async function repeatedStep(
  deps: FollowDependencies,
  { sessionId, stepId, fingerprint }: { sessionId: string; stepId: string; fingerprint: Buffer },
): Promise<LiveStep | null> {
  const row = await findStep(deps.db, { sessionId, stepId });
  if (!row) return null;
  if (!row.fingerprint?.equals(fingerprint)) throw new Problem('idempotency-mismatch');
  if (row.finishedAt) return endedStep(deps, row);
  const live = deps.liveSteps.get(stepId);
  if (await findStepNeed(deps, { row, live })) return live ? readerOf(live) : followElsewhere(deps, row);
  throw new Problem('idempotency-conflict', { detail: `step ${stepId} is still running` });
}

function endedStep({ reads }: Pick<FollowDependencies, 'reads'>, row: FoundStep): LiveStep {
  const live = new LiveStepLog(startOf(row));
  live.append(recordedFrames(row, 0));
  live.finish(stepFromRow(reads, row));
  return live;
}

const pollMs = 200;

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
  let intake: FrameIntake | null = null;
  let shownSeq = 0;
  const onFrames: Reading['onFrames'] = async (frames, heldBytes, route) => {
    const { firstContextEpoch } = route;
    intake ??= new FrameIntake(row.queuedAt.getTime(), { isJob: row.job !== null, firstContextEpoch });
    const shown = intake.take(frames);
    share.set(intake.bytes + heldBytes);
    stop.signal.throwIfAborted();
    // Before its start a step has no number.
    const contextEpoch = intake.contextEpochMax;
    if (contextEpoch > 0) await reserveContextEpoch(deps, { route, contextEpoch });
    stop.signal.throwIfAborted();
    live.append(shown);
    shownSeq = intake.shownSeq;
  };
  live.show();
  readAlong(deps, { row, signal: stop.signal, onFrames })
    .then(() => pollForEnd(deps.db, row, stop.signal))
    .then((ended) => {
      if (!ended) return;
      live.append(recordedFrames(ended, shownSeq));
      live.finish(stepFromRow(deps.reads, ended));
    })
    .catch((error) => live.fail(error))
    .finally(share.close);
  return live;
}

const tooManyReaders = () =>
  new Problem('quota-exceeded', {
    detail: 'this replica has no memory left for readers of the step; read on after the last event that you have',
    retryAfterSeconds: 1,
  });

type Reading = {
  row: FoundStep;
  signal: AbortSignal;
  onFrames: (frames: Frame[], heldBytes: number, route: Route) => Promise<void>;
};

/** Never throws: frames that cannot be read here are added when the step ends. */
async function readAlong({ routes, agents }: FollowDependencies, { row, signal, onFrames }: Reading): Promise<void> {
  try {
    const route = await routes.find(row.sessionId);
    if (!route) return;
    const body = { after: 0, burn: false };
    await agents.stream(route, {
      path: `/v1/steps/${row.id}/attach`,
      body,
      onFrames: (frames, heldBytes) => onFrames(frames, heldBytes, route),
      signal,
    });
  } catch {}
}

/** The step as its end was recorded; lost if its session was deleted meanwhile; null if the reader left before. */
async function pollForEnd(db: Database, row: FoundStep, signal: AbortSignal): Promise<FoundStep | null> {
  while (!signal.aborted) {
    try {
      const found = await findStep(db, { sessionId: row.sessionId, stepId: row.id });
      if (!found) return { ...row, status: 'lost', cause: { code: 'session_ended' }, finishedAt: new Date() };
      if (found.finishedAt) return found;
    } catch {}
    await delay(pollMs, undefined, { signal }).catch(() => {});
  }
  return null;
}

/** The frames that were read with the row. A long step has them itself. */
const recordedFrames = (row: FoundStep, after: number): Buffer[] =>
  [...framesIn(row.events ?? Buffer.alloc(0))].filter((frame) => frame.seq > after).map((frame) => frame.bytes);
