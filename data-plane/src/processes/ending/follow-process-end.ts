import { setTimeout as delay } from 'node:timers/promises';
import { type EndReason, Problem, sandboxEnds } from '@holdfast/specs/public';
import type { AgentClient, OnFrames } from '../../agent/agent-client.ts';
import type { ByteBudget } from '../../agent/byte-budget.ts';
import type { StepChanges, StoreArtifactsDependencies } from '../../artifacts/store-artifacts.ts';
import { storeArtifacts } from '../../artifacts/store-artifacts.ts';
import type { Database } from '../../registry/connect.ts';
import { databaseUnavailable } from '../../registry/database-error.ts';
import { noteProcessStarted } from '../../registry/processes/note-process-started.ts';
import type { ProcessRow } from '../../registry/schema/processes.ts';
import type { Acknowledgements } from '../../sessions/acknowledgements.ts';
import type { Route, Routes } from '../../sessions/sandbox-routes.ts';
import { awakeTimeout } from '../../timing/awake-timeout.ts';
import { watchBudget } from './budget-watch.ts';
import { judgeBreak } from './judge-break.ts';
import type { LiveProcess } from './live-process.ts';
import { type EndOfProcess, lostProcess, reportedEnd } from './process-end.ts';
import { ProcessIntake } from './process-intake.ts';
import { recordProcessEnd } from './record-process-end.ts';

export type FollowDependencies = StoreArtifactsDependencies & {
  db: Database;
  agents: Pick<AgentClient, 'stream' | 'call'>;
  routes: Pick<Routes, 'refresh'>;
  byteBudget: Pick<ByteBudget, 'open'>;
  processAcknowledgements: Pick<Acknowledgements, 'add'>;
  hint(sessionId: string): void;
  condemn(route: Route, because: { processId: string; reason: EndReason; message: string }): Promise<void>;
  /** Called when the registry has something new about the session. */
  onRecorded(sessionId: string): void;
  background(work: Promise<unknown>): void;
  /** Aborts when this replica stops: another one then follows its processes. */
  stopping: AbortSignal;
  replicaId: string;
  /** How long an agent may take to end a process whose time is over. */
  graceMs: number;
};

/** Sends the request that starts the process, and passes on the frames of the answer. */
export type SendProcess = (onFrames: OnFrames, signal: AbortSignal) => Promise<void>;

type Following = {
  live: LiveProcess;
  route: Route;
  /** Null: another replica has sent the process. */
  send: SendProcess | null;
  /** The time that it has run already, by the database's clock. */
  ranMs: number;
};

/**
 * Follows a process to its recorded end. It waits at the agent by one request, which has nothing in it but the end, and asks again by the
 * process's id if that breaks.
 *
 * @throws AgentError if the process provably did not start. After its start this never throws.
 */
export async function followProcessEnd(deps: FollowDependencies, following: Following): Promise<void> {
  const { live, ranMs } = following;
  const { row } = live;
  const over = new AbortController();
  const ended = new AbortController();
  const onStop = () => over.abort();
  deps.stopping.addEventListener('abort', onStop);
  const stopped = { isOverBudget: false };
  const { stop, clear } = createStop({
    graceMs: deps.graceMs,
    kill: () => void killUntilEnded(deps, following, ended.signal),
    giveUp: () => over.abort(),
  });
  const onOver = () => {
    stopped.isOverBudget = true;
    stop();
  };
  const clearLimit =
    row.timeoutMs === null ? () => {} : awakeTimeout(stop, Math.max(0, row.timeoutMs - ranMs) + deps.graceMs);
  void watchBudget(deps, { row, replicaId: deps.replicaId, ranMs, signal: ended.signal, onOver });
  try {
    const { end, intake, route } = await waitForEnd(deps, { ...following, signal: over.signal, stopped });
    ended.abort();
    const recording = finish(deps, { live, end, intake, route, isHandedOver: following.send === null });
    // A stop waits for it, and for nothing that runs.
    deps.background(recording);
    await recording;
  } finally {
    deps.stopping.removeEventListener('abort', onStop);
    clearLimit();
    clear();
    ended.abort();
  }
}

type Finishing = Ended & { live: LiveProcess; isHandedOver: boolean };

/** The end is told after it is durable. Never rejects. */
async function finish(deps: FollowDependencies, { live, end, intake, route, isHandedOver }: Finishing): Promise<void> {
  const { row } = live;
  const seenAtMs = performance.now();
  if (intake) await storeChanges(deps, { row, route, intake, isHandedOver });
  // An agent that does not end a process is not to be trusted with limits any more.
  if (end.cause?.code === 'overran') {
    const message = `process ${row.id}: ${end.cause.message}`;
    await deps.condemn(route, { processId: row.id, reason: 'process_overran', message });
  }
  const recorded = await recordProcessEnd(deps, { row, replicaId: deps.replicaId, end, seenAtMs });
  if (recorded === 'unfinished') return live.fail(new Error(`process ${row.id} is followed by another replica`));
  live.end(recorded);
  deps.onRecorded(row.sessionId);
  if (end.status !== 'lost') deps.processAcknowledgements.add(route, row.id);
}

type Waiting = Following & { signal: AbortSignal; stopped: { isOverBudget: boolean } };
type Ended = { end: EndOfProcess; intake: ProcessIntake | null; route: Route };

const againMsMax = 1000;

async function waitForEnd(deps: FollowDependencies, waiting: Waiting): Promise<Ended> {
  const { live, send, signal, stopped } = waiting;
  let { route } = waiting;
  let attached = send === null;
  let hasStarted = false;
  for (let delayMs = 20; ; delayMs = Math.min(delayMs * 2, againMsMax)) {
    const intake = new ProcessIntake();
    const done = Promise.withResolvers<void>();
    const evicted = new AbortController();
    const share = deps.byteBudget.open(live.sessionId, (error) => evicted.abort(error));
    const either = AbortSignal.any([signal, evicted.signal]);
    const onFrames: OnFrames = (frames, heldBytes) => {
      intake.take(frames);
      share.set(intake.bytes + heldBytes);
      if (intake.started && !hasStarted) {
        hasStarted = true;
        live.start(intake.started);
        deps.background(noteIfRunning(deps, live));
      }
      if (intake.done) done.resolve();
    };
    try {
      const stream =
        send && !attached ? send(onFrames, either) : attach(deps, { route, live, onFrames, signal: either });
      stream.catch(() => {});
      // A process ends with `done`, even if the agent never closes its answer.
      await Promise.race([stream, done.promise]);
    } catch (error) {
      deps.stopping.throwIfAborted();
      if (signal.aborted) return { end: overran(stopped), intake: null, route };
      const verdict = judgeBreak(error, { attached, hasStarted });
      if (verdict === 'not-started') throw error;
      if (verdict) return { end: verdict, intake: null, route };
    } finally {
      share.close();
    }
    if (intake.done) return { end: reportedEnd(intake, stopped.isOverBudget), intake, route };
    attached = true;
    deps.hint(route.sessionId);
    await delay(delayMs, undefined, { signal }).catch(() => {});
    deps.stopping.throwIfAborted();
    const next = await routeAfterBreak(deps, route);
    if (!('endpoint' in next)) return { end: next, intake: null, route };
    route = next;
  }
}

type Attaching = { route: Route; live: LiveProcess; onFrames: OnFrames; signal: AbortSignal };

/** Uses up the id if the agent does not know it: a request that is still on its way must not start the process after it was given up. */
function attach({ agents }: Pick<FollowDependencies, 'agents'>, { route, live, onFrames, signal }: Attaching) {
  const body = { after: 0, burn: true, output: 'ends' };
  return agents.stream(route, { path: `/v1/processes/${live.id}/attach`, body, onFrames, signal });
}

/** A process that ends at once needs no write before that of its end. */
const startedAfterMs = 100;

async function noteIfRunning({ db, replicaId }: FollowDependencies, live: LiveProcess): Promise<void> {
  const hasEnded = await Promise.race([live.ended.then(() => true), delay(startedAfterMs, false)]);
  const { id, pid, cwd } = live.row;
  if (!hasEnded) await noteProcessStarted(db, { id, replicaId, pid, cwd });
}

/** The route of the same sandbox as the registry has it; if that sandbox is gone, the end of the process. */
async function routeAfterBreak({ routes }: FollowDependencies, route: Route): Promise<Route | EndOfProcess> {
  try {
    const found = await routes.refresh(route);
    return found.epoch === route.epoch ? found : lostProcess('sandbox_lost');
  } catch (error) {
    if (databaseUnavailable(error)) return route;
    if (!(error instanceof Problem)) throw error;
    const { slug, options } = error;
    const ended = sandboxEnds.find((end) => end === options.endReason);
    if (slug === 'session-paused') return lostProcess('session_paused');
    if (slug === 'session-starting' || slug === 'session-not-active')
      return options.endReason ? lostProcess(ended ?? 'sandbox_lost', options.detail) : route;
    return ended ? lostProcess(ended, options.detail) : lostProcess('session_ended');
  }
}

const overran = ({ isOverBudget }: { isOverBudget: boolean }) =>
  lostProcess('overran', `it ran past its ${isOverBudget ? 'budget' : 'timeout'}`);

const killAgainMs = 1000;

/** A call may be lost on its way, so it is repeated until the end is seen. */
async function killUntilEnded(
  { agents }: Pick<FollowDependencies, 'agents'>,
  { live, route }: Following,
  signal: AbortSignal,
): Promise<void> {
  const call = { method: 'POST', path: `/v1/processes/${live.id}/signal`, body: { signal: 'SIGKILL' } } as const;
  while (!signal.aborted) {
    await agents.call(route, { ...call, signal }).catch(() => {});
    await delay(killAgainMs, undefined, { signal }).catch(() => {});
  }
}

type Stopping = { graceMs: number; kill(): void; giveUp(): void };

/** Returns a function that stops the process, once: an agent that does not end it within the grace is given up. */
function createStop({ graceMs, kill, giveUp }: Stopping): { stop(): void; clear(): void } {
  let clear: (() => void) | null = null;
  return {
    stop() {
      if (clear) return;
      kill();
      clear = awakeTimeout(giveUp, graceMs);
    },
    clear: () => clear?.(),
  };
}

type Changed = { row: ProcessRow; route: Route; intake: ProcessIntake; isHandedOver: boolean };

/** Saves what it did in the workspace under the rules of the session, as for a step. Never throws. */
async function storeChanges(
  deps: FollowDependencies,
  { row, route, intake: { changes, directories }, isHandedOver }: Changed,
): Promise<StepChanges> {
  return await storeArtifacts(deps, {
    route,
    stepId: row.id,
    by: { actor: row.actor, keyId: row.keyId },
    changes,
    directories,
    at: new Date(),
    isHandedOver: async () => isHandedOver,
  });
}
