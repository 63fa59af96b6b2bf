import { setTimeout as delay } from 'node:timers/promises';
import { type Frame, framesIn } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { ByteShare } from '../agent/byte-budget.ts';
import type { LargeReads } from '../reading/large-reads.ts';
import type { Database } from '../registry/connect.ts';
import { findDenials } from '../registry/operations/find-denials.ts';
import { findPendingOperation } from '../registry/operations/find-pending-operation.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { type FoundStep, findStep } from '../registry/steps/find-step.ts';
import { reserveContextEpoch } from '../sessions/reserve-context-epoch.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { stepNotFound } from './frame-log.ts';
import { FrameIntake } from './frames/frame-intake.ts';
import { type Denials, showDenials } from './frames/show-denials.ts';
import type { StepCall } from './frames/step-call.ts';
import type { LiveStepLog } from './live-step.ts';
import { stepFromRow } from './step-from-row.ts';

export type ElsewhereDependencies = {
  db: Database;
  reads: LargeReads;
  agents: Pick<AgentClient, 'stream'>;
  routes: Pick<Routes, 'find'>;
};

type Reading = { row: FoundStep; live: LiveStepLog; share: ByteShare; signal: AbortSignal };

const waitMsMin = 10;
const waitMsMax = 200;
const needsPollMs = 250;

/**
 * Reads a step along with the replica that drives it, until the registry has its end or the reader leaves. The agent may get the step
 * only after its row was written, and a connection may break, so the agent is asked again until it has reported the end.
 *
 * @throws Problem 404 if the step was withdrawn, because it had not started
 */
export async function readUntilEnded(deps: ElsewhereDependencies, reading: Reading): Promise<void> {
  const { row, live, signal } = reading;
  const frames = createIntake(deps, reading);
  for (let waitMs = waitMsMin; !signal.aborted; waitMs = Math.min(waitMs * 2, waitMsMax)) {
    const before = frames.lastSeq;
    if (frames.isOpen) await readAlong(deps, reading, frames);
    const ended = await findEnd(deps.db, row);
    if (ended) {
      live.append(recordedFrames(ended, frames.shownSeq));
      live.finish(stepFromRow(deps.reads, ended));
      return;
    }
    if (frames.lastSeq > before) waitMs = waitMsMin;
    await delay(waitMs, undefined, { signal }).catch(() => {});
  }
}

type Frames = ReturnType<typeof createIntake>;

/** The frames that this reader got. After one that it cannot take it reads no more: the registry gives the rest with the end. */
function createIntake({ db }: Pick<ElsewhereDependencies, 'db'>, { row, live, share, signal }: Reading) {
  let intake: FrameIntake | null = null;
  let isBroken = false;
  let isNotingNeeds = false;
  let shownSeq = 0;

  async function take(frames: Frame[], heldBytes: number, route: Route): Promise<void> {
    const { firstContextEpoch } = route;
    intake ??= new FrameIntake(row.queuedAt.getTime(), { stepId: row.id, isJob: row.job !== null, firstContextEpoch });
    const shown = intake.take(frames);
    share.set(intake.bytes + heldBytes);
    signal.throwIfAborted();
    // Before its start a step has no number.
    const contextEpoch = intake.contextEpochMax;
    if (contextEpoch > 0) await reserveContextEpoch({ db }, { route, contextEpoch });
    const calls = intake.takeCalls();
    if (!isNotingNeeds && calls.some(runsSteps)) {
      isNotingNeeds = true;
      void noteNeedsBelow(db, { live, signal });
    }
    const denials = await readDenials(db, { row, calls, signal });
    live.append(showDenials(shown, denials));
    shownSeq = intake.shownSeq;
  }

  return {
    get lastSeq() {
      return intake?.lastSeq ?? 0;
    },
    get shownSeq() {
      return shownSeq;
    },
    /** Whether the agent may have more. */
    get isOpen() {
      return !isBroken && !intake?.done;
    },
    async take(frames: Frame[], heldBytes: number, route: Route): Promise<void> {
      try {
        await take(frames, heldBytes, route);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    },
  };
}

/** Whether the call lets the step run other steps. Pure. */
const runsSteps = ({ kind, name }: Pick<StepCall, 'kind' | 'name'>): boolean =>
  kind === 'own' && (name === 'eval' || name === 'fixpoint');

/**
 * Notes the operations for which the steps that another one runs wait, until it has ended or its reader leaves. The replica that drives those steps
 * sees them in their frames. For any other one they are in the registry alone, as the frames of the upper step do not have them. Never rejects.
 */
async function noteNeedsBelow(
  db: Database,
  { live, signal }: { live: LiveStepLog; signal: AbortSignal },
): Promise<void> {
  const { sessionId, id: stepId } = live;
  let after: string | undefined;
  while (!signal.aborted && !live.finished && !live.failure) {
    const pending = await findPendingOperation(db, { sessionId, stepId, after }).catch(() => null);
    if (pending) {
      after = pending.id;
      if (pending.stepId !== stepId) live.noteRequest({ operationId: pending.id });
    } else {
      await delay(needsPollMs, undefined, { signal }).catch(() => {});
    }
  }
}

type Calling = Pick<Reading, 'row' | 'signal'> & { calls: readonly StepCall[] };

/**
 * Waits until the registry has the calls, which the replica that drives the step writes at the same time: a client that sees a call must be
 * able to answer it at once.
 *
 * @throws if the step has ended without them, or the reader leaves
 */
async function readDenials(db: Database, { row, calls, signal }: Calling): Promise<Denials> {
  const ids = calls.filter(({ kind }) => kind === 'host').map(({ id }) => id);
  if (ids.length === 0) return new Map();
  for (let waitMs = waitMsMin; ; waitMs = Math.min(waitMs * 2, waitMsMax)) {
    const denials = await findDenials(db, { ids }).catch(() => null);
    signal.throwIfAborted();
    if (denials) return denials;
    if (await findEnd(db, row)) throw new Error('the step has ended');
    await delay(waitMs, undefined, { signal });
  }
}

/** Never throws: frames that cannot be read here are added when the step ends. */
async function readAlong(
  { routes, agents }: ElsewhereDependencies,
  { row, signal }: Reading,
  frames: Frames,
): Promise<void> {
  try {
    const route = await routes.find(row.sessionId);
    if (route?.epoch !== row.epoch) return;
    await agents.stream(route, {
      path: `/v1/steps/${row.id}/attach`,
      body: { after: frames.lastSeq, burn: false },
      onFrames: (received, heldBytes) => frames.take(received, heldBytes, route),
      signal,
    });
  } catch {}
}

/** The step as its end was recorded; lost if its session was deleted meanwhile; null if it has not ended or the database is away. */
async function findEnd(db: Database, row: FoundStep): Promise<FoundStep | null> {
  const { id: stepId, sessionId } = row;
  try {
    const found = await findStep(db, { sessionId, stepId });
    if (found) return found.finishedAt ? found : null;
    if (await findSession(db, { id: sessionId })) throw stepNotFound(stepId);
    return { ...row, status: 'lost', cause: { code: 'session_ended' }, finishedAt: new Date() };
  } catch (error) {
    if (error instanceof Problem) throw error;
    return null;
  }
}

/** The frames that were read with the row. A long step has them itself. */
export const recordedFrames = (row: FoundStep, after: number): Buffer[] =>
  [...framesIn(row.events ?? Buffer.alloc(0))].filter((frame) => frame.seq > after).map((frame) => frame.bytes);
