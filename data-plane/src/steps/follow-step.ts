import { setTimeout as delay } from 'node:timers/promises';
import { type Frame, framesIn } from '@holdfast/specs/agent';
import { isJobId, Problem } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { findStep } from '../registry/steps/find-step.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { askWhatStepNeeds, type NeedDependencies } from './find-step-need.ts';
import { frameIntake } from './frames/frame-intake.ts';
import { createLiveStep, type LiveStep, type LiveStepLog, readerOf } from './live-step.ts';
import { type RecordedStep, startOf, stepFromRow } from './step-from-row.ts';

export type FollowDependencies = NeedDependencies & {
  db: Database;
  agents: Pick<AgentClient, 'stream'>;
  liveSteps: ReadonlyMap<string, LiveStepLog>;
};

type StepKey = { caller: Caller; sessionId: string; stepId: string };

/** A step's events from the first on: of one that runs here or on another replica, or of one that has ended. Throws Problem 404, 410. */
export async function followStep(deps: FollowDependencies, { caller, sessionId, stepId }: StepKey): Promise<LiveStep> {
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const live = deps.liveSteps.get(stepId);
  if (live?.sessionId === sessionId) return readerOf(live);
  const row = await findStep(deps.db, { sessionId, stepId });
  if (!row) throw new Problem('not-found', { detail: `there is no step ${stepId}` });
  return row.finishedAt ? endedStep(row) : followElsewhere(deps, row);
}

/**
 * What became of the first request with an Idempotency-Key; null where there was none.
 * Throws Problem: 422 where that was another request, 409 while it is still running and waits for nothing.
 */
export async function repeatedStep(
  deps: FollowDependencies,
  { sessionId, stepId, fingerprint }: { sessionId: string; stepId: string; fingerprint: Buffer },
): Promise<LiveStep | null> {
  const row = await findStep(deps.db, { sessionId, stepId });
  if (!row) return null;
  if (!row.fingerprint?.equals(fingerprint)) throw new Problem('idempotency-mismatch');
  if (row.finishedAt) return endedStep(row);
  const live = deps.liveSteps.get(stepId);
  if (await askWhatStepNeeds(deps, { row, live })) return live ? readerOf(live) : followElsewhere(deps, row);
  throw new Problem('idempotency-conflict', { detail: `step ${stepId} is still running` });
}

function endedStep(row: RecordedStep): LiveStep {
  const live = createLiveStep(startOf(row));
  live.append(recordedFrames(row, 0));
  live.finish(stepFromRow(row));
  return live;
}

const pollMs = 200;

/** Reads along at the agent while another replica records; the end, and what was missed, is the registry's to say. */
function followElsewhere(deps: FollowDependencies, row: RecordedStep): LiveStep {
  const stop = new AbortController();
  const end = () => stop.abort();
  const live = createLiveStep(startOf(row), { onDisconnected: end, onAnswered: end });
  const intake = frameIntake(row.queuedAt.getTime(), { isJob: isJobId(row.id) });
  live.show();
  readAlong(deps, { row, signal: stop.signal, onFrames: (frames) => live.append(intake.take(frames)) })
    .then(() => endOf(deps.db, row, stop.signal))
    .then((ended) => {
      if (!ended) return;
      live.append(recordedFrames(ended, intake.shownSeq));
      live.finish(stepFromRow(ended));
    });
  return live;
}

type Reading = { row: RecordedStep; signal: AbortSignal; onFrames: (frames: Frame[]) => void };

/** What cannot be read here is made up for at the end. */
async function readAlong({ routes, agents }: FollowDependencies, { row, signal, onFrames }: Reading): Promise<void> {
  try {
    const route = await routes.find(row.sessionId);
    if (!route) return;
    const body = { after: 0, burn: false };
    await agents.stream(route, { path: `/v1/steps/${row.id}/attach`, body, onFrames, signal });
  } catch {}
}

/** The step as it was recorded in the end, lost where its session was deleted meanwhile; null where nobody waits any more. */
async function endOf(db: Database, row: RecordedStep, signal: AbortSignal): Promise<RecordedStep | null> {
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

const recordedFrames = (row: RecordedStep, after: number): Buffer[] =>
  [...framesIn(row.events ?? Buffer.alloc(0))].filter((frame) => frame.seq > after).map((frame) => frame.bytes);
