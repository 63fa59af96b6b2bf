import { type Cause, Problem, type StateReset } from '@holdfast/specs/public';
import type { AgentClient, OnFrames } from '../agent/agent-client.ts';
import type { AgentError } from '../agent/agent-error.ts';
import type { ByteBudget, ByteShare } from '../agent/byte-budget.ts';
import { changeFrames } from '../artifacts/change-frames.ts';
import type { StepChanges } from '../artifacts/store-artifacts.ts';
import { isLong } from '../reading/json-slices.ts';
import type { LargeReads } from '../reading/large-reads.ts';
import { type Charges, findCharges, noCharges } from '../registry/budgets/find-charges.ts';
import type { Database } from '../registry/connect.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { findStep } from '../registry/steps/find-step.ts';
import { isHeldByAnother } from '../registry/steps/held-by-another.ts';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import type { Acknowledgements } from '../sessions/acknowledgements.ts';
import { reserveWithPatience } from '../sessions/reserve-context-epoch.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { bytesOf } from './frame-log.ts';
import { FrameIntake } from './frames/frame-intake.ts';
import { lostEnd, type StepEnd } from './frames/judge-cut.ts';
import { type ReadDependencies, readToEnd, type SendToAgent } from './frames/read-to-end.ts';
import { type Denials, showDenials } from './frames/show-denials.ts';
import type { StepCall } from './frames/step-call.ts';
import { watchStep } from './frames/step-watchdog.ts';
import { budgetErrorFrame, type Ended, endRecord, isStoppedByBudget } from './intent-and-end.ts';
import type { LiveStepLog, StepStart } from './live-step.ts';
import { wholeCopies } from './long-step.ts';
import { recordEnd } from './recording/record-end.ts';
import type { StepRecorder } from './recording/step-recorder.ts';
import { type StepAnswer, stepFromFrames, stepFromRow } from './step-from-row.ts';

export type DriveDependencies = ReadDependencies & {
  agents: Pick<AgentClient, 'stream' | 'call'>;
  db: Database;
  reads: LargeReads;
  routes: Routes;
  recorder: Pick<StepRecorder, 'end' | 'watched'>;
  operations: StepOperations;
  acknowledgements: Acknowledgements;
  collectChanges: CollectChanges;
  byteBudget: Pick<ByteBudget, 'open' | 'countOf' | 'fits'>;
  /** The time beyond its timeout after which a step counts as overrun. */
  graceMs: number;
  /** Called with a loss of memory that the step announces. Never rejects. */
  onReset(step: StepStart, reset: StateReset): Promise<void>;
  /** Called with the end as it was announced. */
  onEnd(row: EndedRow): void;
};

/** Answers the calls of a step's code. */
export type StepOperations = {
  /**
   * Resolves when the calls that clients see are in the registry, with those of them that the policy denied; the answers come later. A call
   * that was begun before goes on. Never rejects.
   */
  begin(calls: readonly StepCall[], step: CallingStep): Promise<Denials>;
};

/**
 * `signal` aborts when the step has ended, and nothing waits for an answer. `onDenied` is called when the policy denies a call, before
 * the code hears of it. `isHandedOver`: another replica may have answered some of its calls.
 */
export type CallingStep = {
  live: LiveStepLog;
  route: Route;
  signal: AbortSignal;
  isHandedOver: boolean;
  onDenied(): void;
};

export type EndedRow = Omit<StepRecord, 'replicaId' | 'mayHaveRow'>;

/**
 * Stores what a step that has ended did to files, as of `at`. Null if there is nothing to store. Never throws.
 *
 * @param ended `isHandedOver`: another replica may have stored it already, before it died or while this one slept
 */
type CollectChanges = (ended: EndedStep) => Promise<StepChanges> | null;

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
 * @throws AgentError if the step provably did not start; Problem 429 if the session has too many steps under way. After the first frame
 * it never throws.
 */
export async function driveStep(deps: DriveDependencies, driving: Driving): Promise<void> {
  const { live, send } = driving;
  if (send) refuseBeyondLimits(deps, live);
  const memory = new StepMemory((evict) => deps.byteBudget.open(live.sessionId, evict));
  const { share } = memory;
  share.set(startBytes(live));
  try {
    await driveWithin(deps, driving, memory);
  } finally {
    share.close();
  }
}

/** The running and waiting steps of a session, or calls with answers, that a replica has under way. */
const perSessionMax = 512;

/**
 * A step that was handed over has passed here on another replica.
 * @throws Problem 429
 */
function refuseBeyondLimits({ byteBudget }: Pick<DriveDependencies, 'byteBudget'>, { start }: LiveStepLog): void {
  if (byteBudget.countOf(start.sessionId) < perSessionMax && byteBudget.fits(start.sessionId, startBytes({ start })))
    return;
  const detail = 'too many steps of the session are running or waiting; wait until some have ended';
  throw new Problem('quota-exceeded', { detail, retryAfterSeconds: 1 });
}

/** The memory of a step before its first frame: its request twice, once as it is sent to the agent. */
const startBytes = ({ start: { code, requestBytes = 0 } }: Pick<LiveStepLog, 'start'>) =>
  2048 + 2 * (code.length + requestBytes);

/** The share of a step. Its session may have to give it up before the step is driven. */
class StepMemory {
  readonly share: ByteShare;
  evictedBy: AgentError | null = null;
  onEvicted: (() => void) | null = null;

  constructor(open: (evict: (error: AgentError) => void) => ByteShare) {
    this.share = open((error) => {
      this.evictedBy = error;
      this.onEvicted?.();
    });
  }
}

/** The beginning of its events that stays of a step whose session has to give up its memory. */
const evictedBytesMax = 64 * 1024;

async function driveWithin(
  deps: DriveDependencies,
  { live, route, intent, send }: Driving,
  memory: StepMemory,
): Promise<void> {
  const { firstContextEpoch } = route;
  const { share } = memory;
  const isJob = live.start.job !== null;
  const { isSilent, expressions } = live.start;
  const intake = new FrameIntake(live.queuedAt.getTime(), {
    stepId: live.id,
    isJob,
    ...(isSilent && { isSilent }),
    ...(expressions && { expressions: Object.keys(expressions) }),
    firstContextEpoch,
  });
  const done = Promise.withResolvers<void>();
  const stop = new AbortController();
  // Most steps call nothing, so they need none.
  let ended: AbortController | null = null;
  const watchdog = watchStep({
    limitMs: live.start.timeoutMs + deps.graceMs,
    probe: () => deps.agents.call(route, { method: 'GET', path: '/v1/session', timeoutMs: probeTimeoutMs }),
    onOverrun: () => stop.abort(),
  });
  let isCut = false;
  const giveUp = () => {
    // The end that an agent has reported is true, and is recorded.
    if (intake.done) return;
    isCut = true;
    live.cut(evictedBytesMax);
    share.set(startBytes(live) + evictedBytesMax);
    stop.abort(memory.evictedBy);
  };
  memory.onEvicted = giveUp;
  if (memory.evictedBy) giveUp();
  let isRunning = false;
  const onFrames: OnFrames = (frames, heldBytes) => {
    const shown = intake.take(frames);
    const contextEpoch = intake.contextEpochMax;
    const calls = intake.takeCalls();
    // Only a kernel that was lost or restarted has a new number.
    const isNewKernel = contextEpoch > route.contextEpochMax;
    if (!isNewKernel && calls.length === 0) return take(shown, heldBytes);
    const reserved = isNewKernel
      ? reserveWithPatience(deps, { route, contextEpoch, signal: stop.signal })
      : Promise.resolve();
    return reserved
      .then(() => beginCalls(calls))
      .then((denials) => take(denials ? showDenials(shown, denials) : shown, heldBytes));
  };
  const onDenied = () => {
    intake.hasDeniedCalls = true;
  };
  const beginCalls = (calls: readonly StepCall[]) => {
    if (calls.length === 0) return null;
    // Clients see the calls as soon as the registry has the step.
    deps.recorder.watched(live.id);
    ended ??= new AbortController();
    const step = { live, route, signal: ended.signal, isHandedOver: send === null, onDenied };
    // Entries of the audit log have the number of the step from the beginning, so that all readers see the same.
    return live.untilShown(rowMsMax).then(() => deps.operations.begin(calls, step));
  };
  const take = (shown: readonly Buffer[], heldBytes: number): undefined => {
    if (shown.length > 0) live.append(shown);
    share.set(startBytes(live) + intake.bytes + heldBytes);
    if (intake.done) done.resolve();
    else if (!isRunning && intake.startedOffsetMs !== null) {
      isRunning = true;
      watchdog.started();
    }
  };
  const reading = { stepId: live.id, route, send, intake, onFrames, done: done.promise, signal: stop.signal };
  let end: StepEnd;
  try {
    end = await readToEnd(deps, reading);
  } finally {
    watchdog.stop();
    (ended as AbortController | null)?.abort();
  }
  const at = new Date();
  if (isStoppedByBudget(intent, end)) {
    intake.shownSeq += 1;
    live.append([budgetErrorFrame(live.start, { seq: intake.shownSeq, at })]);
  }
  const isHandedOver = async () => send === null || (await isHeldByAnother(deps.db, { stepId: live.id, ...intent }));
  const collecting = intake.done && deps.collectChanges({ live, route, intake, at, isHandedOver });
  const changes = collecting ? await collecting : null;
  if (changes) live.append(changeFrames({ queuedAt: live.queuedAt, afterSeq: intake.shownSeq, at }, changes));
  if (isCut) intake.truncated = true;
  // The end is announced after it, so that a client that waits for the step finds it in the session.
  if (intake.reset) await deps.onReset(live.start, intake.reset);
  await recordAndFinish(deps, {
    live,
    intent,
    intake,
    end,
    isProposed: changes !== null && changes.proposals.length > 0,
    refusedChanges: changes?.refusedChanges ?? null,
    reserve(bytes) {
      const fits = deps.byteBudget.fits(live.sessionId, bytes);
      if (fits) share.set(startBytes(live) + intake.bytes + bytes);
      return fits;
    },
  });
  if (end.status !== 'lost') deps.acknowledgements.add(route, live.id);
}

const probeTimeoutMs = 5000;
const rowMsMax = 2000;

/** Records a step about which nothing more can be learned as lost. */
export async function loseStep(
  deps: Pick<DriveDependencies, 'db' | 'reads' | 'recorder' | 'onEnd'>,
  { live, intent, code }: { live: LiveStepLog; intent: StepRecord; code: Cause['code'] },
): Promise<void> {
  await recordAndFinish(deps, {
    live,
    intent,
    intake: new FrameIntake(live.queuedAt.getTime()),
    end: lostEnd(code),
    reserve: () => false,
  });
}

/** The events of a step are not kept twice if they are larger than this. */
const movedBytesMin = 64 * 1024;

/** `reserve` takes memory of the session until the step is finished, if it has so much. */
type Ending = {
  live: LiveStepLog;
  intent: StepRecord;
  intake: FrameIntake;
  end: StepEnd;
  reserve(bytes: number): boolean;
} & Pick<Ended, 'isProposed' | 'refusedChanges'>;

/** The end is announced to readers after it is durable, as the registry has it. */
async function recordAndFinish(
  { db, reads, recorder, onEnd }: Pick<DriveDependencies, 'db' | 'reads' | 'recorder' | 'onEnd'>,
  { live, intent, intake, end, isProposed, refusedChanges, reserve }: Ending,
): Promise<void> {
  const record = endRecord(intent, intake, { ...end, isProposed, refusedChanges }, live.received, new Date());
  if (record.events && record.events.length > movedBytesMin) live.moveTo(record.events);
  const registry = {
    findStep: (key: { sessionId: string; stepId: string }) => findStep(db, key),
    findSession: (key: { id: string }) => findSession(db, key),
    findCharges: (key: { stepId: string }) => findCharges(db, key),
  };
  const recording = recordEnd({ recorder, ...registry }, record);
  const takeView = viewMeanwhile(live, { record, reserve });
  const recorded = await recording;
  const made = takeView();
  if (recorded.by === 'another') {
    live.finish(stepFromRow(reads, recorded.row));
    onEnd(recorded.row);
  } else {
    const { record: ended, number, charges } = recorded;
    const view = ended === record ? made : null;
    const frames = ended.events === record.events ? live.received : [];
    live.finish(
      view ? view({ ...charges, number }) : stepFromFrames(live.start, { ...ended, ...charges, number }, frames),
    );
    onEnd(ended);
  }
}

/** The parts of a step that the registry decides. */
type Decided = Charges & { number: number | null };

/**
 * Makes the step while the registry writes, so that its answer waits for nothing else. The parts that the registry decides are added to it. It
 * is null as long as it is not made, and if it cannot be made.
 */
function viewMeanwhile(
  { start, received, isShown }: LiveStepLog,
  { record, reserve }: { record: StepRecord } & Pick<Ending, 'reserve'>,
): () => ((decided: Decided) => StepAnswer) | null {
  let view: ((decided: Decided) => StepAnswer) | null = null;
  const making = setImmediate(() => {
    try {
      const state = { ...record, ...noCharges, number: null };
      const step = stepFromFrames(start, state, received);
      if (!isLong(step)) {
        view = (decided) => Object.assign(step, decided);
        return;
      }
      // The readers of a step that is shown have most of its output.
      if (!isShown && reserve(wholeCopies * bytesOf(received))) step.makeWhole();
      view = (decided) => {
        Object.assign(state, decided);
        return step;
      };
    } catch {
      // The reader that needs the step makes it again, and gets the error.
    }
  });
  return () => {
    clearImmediate(making);
    return view;
  };
}
