import type { Cause } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { artifactFrames } from '../artifacts/artifact-frames.ts';
import type { ArtifactContent } from '../artifacts/artifact-view.ts';
import type { LargeReads } from '../reading/large-reads.ts';
import type { Database } from '../registry/connect.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { findStep } from '../registry/steps/find-step.ts';
import { isHeldByAnother } from '../registry/steps/held-by-another.ts';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import type { Acknowledgements } from '../sessions/acknowledgements.ts';
import { reserveWithPatience } from '../sessions/reserve-context-epoch.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { createFrameIntake, type FrameIntake } from './frames/frame-intake.ts';
import { lostEnd, type StepEnd } from './frames/judge-cut.ts';
import { type OnFrames, type ReadDependencies, readToEnd, type SendToAgent } from './frames/read-to-end.ts';
import { watchStep } from './frames/step-watchdog.ts';
import { endRecord } from './intent-and-end.ts';
import type { LiveStepLog } from './live-step.ts';
import { recordEnd } from './recording/record-end.ts';
import type { StepRecorder } from './recording/step-recorder.ts';
import { stepFromFrames, stepFromRow } from './step-from-row.ts';

export type DriveDependencies = ReadDependencies & {
  agents: Pick<AgentClient, 'stream' | 'call'>;
  db: Database;
  reads: LargeReads;
  routes: Routes;
  recorder: Pick<StepRecorder, 'end'>;
  acknowledgements: Acknowledgements;
  collectChanges: CollectChanges;
  /** The time beyond its timeout after which a step counts as overrun. */
  graceMs: number;
  /** Called with the end as it was announced. */
  onEnd(row: EndedRow): void;
};

export type EndedRow = Omit<StepRecord, 'replicaId' | 'mayHaveRow'>;

/**
 * Stores what a step that has ended did to files, as of `at`. Null if there is nothing to store. Never throws.
 *
 * @param ended `isHandedOver`: another replica may have stored it already, before it died or while this one slept
 */
type CollectChanges = (ended: EndedStep) => Promise<readonly ArtifactContent[]> | null;

export type EndedStep = {
  live: LiveStepLog;
  route: Route;
  intake: FrameIntake;
  at: Date;
  isHandedOver(): Promise<boolean>;
};

type Driving = {
  live: LiveStepLog;
  route: Route;
  intent: StepRecord;
  /** Null: another replica has sent the step. */
  send: SendToAgent | null;
};

/**
 * Drives a step from its first request to its recorded end: sends it, reads its frames, stores the changed files and records the end.
 *
 * @throws AgentError if the step provably did not start. After the first frame it never throws.
 */
export async function driveStep(deps: DriveDependencies, { live, route, intent, send }: Driving): Promise<void> {
  const intake = createFrameIntake(live.queuedAt.getTime(), { isJob: live.start.job !== null });
  const done = Promise.withResolvers<void>();
  const stop = new AbortController();
  const watchdog = watchStep({
    limitMs: live.start.timeoutMs + deps.graceMs,
    probe: () => deps.agents.call(route, { method: 'GET', path: '/v1/session', timeoutMs: probeTimeoutMs }),
    onOverrun: () => stop.abort(),
  });
  let isRunning = false;
  const onFrames: OnFrames = (frames) => {
    const shown = intake.take(frames);
    const contextEpoch = intake.contextEpochMax;
    // Only a kernel that was lost or restarted has a new number.
    if (contextEpoch > route.contextEpochMax) {
      return reserveWithPatience(deps, { route, contextEpoch, signal: stop.signal }).then(() => take(shown));
    }
    return take(shown);
  };
  const take = (shown: Buffer[]): undefined => {
    if (shown.length > 0) live.append(shown);
    if (intake.done) done.resolve();
    else if (!isRunning && intake.startedOffsetMs !== null) {
      isRunning = true;
      watchdog.started();
    }
  };
  const reading = { stepId: live.id, route, send, intake, onFrames, done: done.promise, signal: stop.signal };
  const end = await readToEnd(deps, reading).finally(() => watchdog.stop());
  const at = new Date();
  const isHandedOver = async () => send === null || (await isHeldByAnother(deps.db, { stepId: live.id, ...intent }));
  const changes = intake.done && deps.collectChanges({ live, route, intake, at, isHandedOver });
  if (changes) live.append(artifactFrames({ queuedAt: live.queuedAt, afterSeq: intake.shownSeq, at }, await changes));
  await recordAndFinish(deps, { live, intent, intake, end });
  if (end.status !== 'lost') deps.acknowledgements.add(route, live.id);
}

const probeTimeoutMs = 5000;

/** Records a step about which nothing more can be learned as lost. */
export async function loseStep(
  deps: Pick<DriveDependencies, 'db' | 'reads' | 'recorder' | 'onEnd'>,
  { live, intent, code }: { live: LiveStepLog; intent: StepRecord; code: Cause['code'] },
): Promise<void> {
  await recordAndFinish(deps, {
    live,
    intent,
    intake: createFrameIntake(live.queuedAt.getTime()),
    end: lostEnd(code),
  });
}

type Ending = { live: LiveStepLog; intent: StepRecord; intake: FrameIntake; end: StepEnd };

/** The end is announced to readers after it is durable, as the registry has it. */
async function recordAndFinish(
  { db, reads, recorder, onEnd }: Pick<DriveDependencies, 'db' | 'reads' | 'recorder' | 'onEnd'>,
  { live, intent, intake, end }: Ending,
): Promise<void> {
  const record = endRecord(intent, intake, end, live.received, new Date());
  const registry = {
    findStep: (key: { sessionId: string; stepId: string }) => findStep(db, key),
    findSession: (key: { id: string }) => findSession(db, key),
  };
  const recorded = await recordEnd({ recorder, ...registry }, record);
  if (recorded.by === 'another') {
    live.finish(stepFromRow(reads, recorded.row));
    onEnd(recorded.row);
  } else {
    const frames = recorded.record.events === record.events ? live.received : [];
    live.finish(stepFromFrames(live.start, { ...recorded.record, number: recorded.number }, frames));
    onEnd(recorded.record);
  }
}
