import { setTimeout as delay } from 'node:timers/promises';
import { type Cause, type EndReason, isJobId, Problem, sandboxEnds } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { artifactFrames } from '../artifacts/artifact-frames.ts';
import type { ArtifactContent } from '../artifacts/artifact-view.ts';
import type { Database } from '../registry/connect.ts';
import { databaseUnavailable } from '../registry/database-error.ts';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import type { Acknowledgements } from '../sessions/acknowledgements.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { withCauseOfStop } from './frames/cause-of-stop.ts';
import { type FrameIntake, frameIntake } from './frames/frame-intake.ts';
import { judgeCut, lost } from './frames/judge-cut.ts';
import type { LiveStepLog } from './live-step.ts';
import { recordEnd } from './recording/record-end.ts';
import { endRecord, type StepEnd } from './intent-and-end.ts';
import type { StepRecorder } from './recording/step-recorder.ts';
import { stepFromRow } from './step-from-row.ts';
import { stepView } from './step-view.ts';
import { watchStep } from './frames/step-watchdog.ts';

export type DriveDependencies = {
  agents: Pick<AgentClient, 'stream' | 'call'>;
  db: Database;
  routes: Routes;
  recorder: Pick<StepRecorder, 'end'>;
  acknowledgements: Acknowledgements;
  /** Says *look at this session*: its sandbox did not answer as it should. */
  hint(sessionId: string): void;
  /** The sandbox is not to be trusted any more: fails the session and destroys it. */
  condemn(route: Route, reason: EndReason, message: string): void;
  /**
   * Keeps what a step that has ended did to files, as of `at`; null where that is nothing. `isAdopted`: another replica may have done it
   * before it died. Never throws.
   */
  keep(kept: {
    live: LiveStepLog;
    route: Route;
    intake: FrameIntake;
    at: Date;
    isAdopted: boolean;
  }): Promise<readonly ArtifactContent[]> | null;
  /** What a step gets beyond its timeout before it counts as overrun. */
  graceMs: number;
  onEnd(row: StepRecord): void;
};

const reattachMsMax = 1000;

/**
 * Follows a step to its end and records it. `begin` sends the step and opens the first stream of frames; where it is null the
 * step was sent by another replica. A connection that breaks is replaced by attaching to the step by its id.
 *
 * @throws AgentError where the step provably did not start. After the first frame it never throws.
 */
export async function driveStep(
  deps: DriveDependencies,
  { live, route, intent, begin }: { live: LiveStepLog; route: Route; intent: StepRecord; begin: Begin | null },
): Promise<void> {
  const intake = frameIntake(live.queuedAt.getTime(), { isJob: isJobId(live.id) });
  const done = Promise.withResolvers<void>();
  const stop = new AbortController();
  const watchdog = watchStep({
    limitMs: live.start.timeoutMs + deps.graceMs,
    probe: () => deps.agents.call(route, { method: 'GET', path: '/v1/session', timeoutMs: probeTimeoutMs }),
    onOverrun: () => stop.abort(),
  });
  let isRunning = false;
  const take: OnFrames = (frames) => {
    const shown = intake.take(frames);
    if (shown.length > 0) live.append(shown);
    if (intake.done) done.resolve();
    else if (!isRunning && intake.startedOffsetMs !== null) {
      isRunning = true;
      watchdog.started();
    }
  };
  let end: StepEnd;
  try {
    end = await follow(deps, { live, route, intake, begin, take, done: done.promise, signal: stop.signal });
  } finally {
    watchdog.stop();
  }
  const at = new Date();
  const kept = intake.done && deps.keep({ live, route, intake, at, isAdopted: begin === null });
  if (kept) live.append(artifactFrames({ queuedAt: live.queuedAt, afterSeq: intake.shownSeq, at }, await kept));
  await announceEnd(deps, { live, intent, intake, end });
  if (end.status !== 'lost') deps.acknowledgements.add(route, live.id);
}

const probeTimeoutMs = 5000;

export type OnFrames = Parameters<AgentClient['stream']>[1]['onFrames'];
/** Sends a step and gives on the frames of the answer. */
export type Begin = (route: Route, onFrames: OnFrames, signal: AbortSignal) => Promise<void>;
type Following = {
  live: LiveStepLog;
  route: Route;
  intake: FrameIntake;
  begin: Begin | null;
  take: OnFrames;
  /** Resolves when the agent has said how the step ended. */
  done: Promise<void>;
  signal: AbortSignal;
};

async function follow(deps: DriveDependencies, following: Following): Promise<StepEnd> {
  const { live, route, intake, begin, take, done, signal } = following;
  let attached = begin === null;
  let current = route;
  for (let delayMs = 20; ; delayMs = Math.min(delayMs * 2, reattachMsMax)) {
    try {
      const stream = begin && !attached ? begin(current, take, signal) : attach(deps, current, following);
      // An agent that does not end its answer after `done` gains nothing by it.
      await Promise.race([stream, done]);
      if (intake.done) return await withCauseOfStop(deps, { route: current, end: intake.done });
    } catch (error) {
      const judged = judgeCut(error, { attached, isOverrun: signal.aborted });
      if (judged === 'not-started') throw error;
      if (judged) {
        const { condemned, end } = judged;
        if (condemned) deps.condemn(current, condemned, `step ${live.id}: ${end.cause.message}`);
        return end;
      }
    }
    // The request may have been read, so from here on only the step's id can tell what became of it.
    attached = true;
    deps.hint(live.sessionId);
    await delay(delayMs, undefined, { signal }).catch(() => {});
    const next = await routeAfterCut(deps, current);
    if (!('endpoint' in next)) return next;
    current = next;
  }
}

/** Burns the id where the agent never saw it: what is still on its way must not run after the step was given up. */
function attach({ agents }: DriveDependencies, route: Route, { live, intake, take, signal }: Following): Promise<void> {
  const body = { after: intake.lastSeq, burn: true };
  return agents.stream(route, { path: `/v1/steps/${live.id}/attach`, body, onFrames: take, signal });
}

/** The same sandbox's route, looked up anew; or the end of the step where that sandbox is no more. */
async function routeAfterCut({ routes }: DriveDependencies, route: Route): Promise<Route | StepEnd> {
  try {
    const found = await routes.refresh(route);
    return found.epoch === route.epoch ? found : lost('sandbox_lost');
  } catch (error) {
    if (databaseUnavailable(error)) return route;
    if (!(error instanceof Problem)) throw error;
    const ended = sandboxEnds.find((end) => end === error.options.endReason);
    return ended ? lost(ended, error.options.detail) : lost('session_ended');
  }
}

/** Records a step of which nothing more can be learned. */
export async function loseStep(
  deps: Pick<DriveDependencies, 'db' | 'recorder' | 'onEnd'>,
  { live, intent, code }: { live: LiveStepLog; intent: StepRecord; code: Cause['code'] },
): Promise<void> {
  await announceEnd(deps, { live, intent, intake: frameIntake(live.queuedAt.getTime()), end: lost(code) });
}

type Ending = { live: LiveStepLog; intent: StepRecord; intake: FrameIntake; end: StepEnd };

async function announceEnd(
  { db, recorder, onEnd }: Pick<DriveDependencies, 'db' | 'recorder' | 'onEnd'>,
  { live, intent, intake, end }: Ending,
): Promise<void> {
  const record = endRecord(intent, intake, end, live.received, new Date());
  const recorded = await recordEnd({ db, recorder }, record);
  if (recorded.by === 'another') live.finish(stepFromRow(recorded.row));
  else live.finish(stepView(live.start, { ...recorded.record, number: recorded.number }, live.received));
  onEnd(record);
}
