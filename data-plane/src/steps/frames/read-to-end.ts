import { setTimeout as delay } from 'node:timers/promises';
import { type EndReason, Problem, sandboxEnds } from '@holdfast/specs/public';
import type { AgentClient, OnFrames } from '../../agent/agent-client.ts';
import { AgentError } from '../../agent/agent-error.ts';
import { PeerTimeout } from '../../agent/prove-peer.ts';
import { databaseUnavailable } from '../../registry/database-error.ts';
import type { Route, Routes } from '../../sessions/sandbox-routes.ts';
import { awakeTimeout } from '../../timing/awake-timeout.ts';
import { withCauseOfStop } from './cause-of-stop.ts';
import type { FrameIntake } from './frame-intake.ts';
import { type EndVerdict, judgeCut, lostEnd, type StepEnd } from './judge-cut.ts';

export type ReadDependencies = {
  agents: Pick<AgentClient, 'stream'>;
  routes: Pick<Routes, 'refresh'>;
  /** Asks for a check of the session: its sandbox did not answer as it should. */
  hint(sessionId: string): void;
  /**
   * Fails the session and destroys its sandbox, which cannot be trusted any more, unless another replica follows the step by now or has
   * recorded its end. Resolves when the registry has decided. Never rejects.
   */
  condemn(route: Route, because: { stepId: string; reason: EndReason; message: string }): Promise<void>;
};

/**
 * Sends the request that starts a step to its agent, and passes on the frames of the answer. Called again only if the agent provably
 * got nothing of the last request.
 */
export type SendToAgent = (onFrames: OnFrames, signal: AbortSignal) => Promise<void>;

type Reading = {
  stepId: string;
  route: Route;
  /** Null: another replica has sent the step. */
  send: SendToAgent | null;
  intake: Pick<FrameIntake, 'done' | 'lastSeq'>;
  onFrames: OnFrames;
  /** Resolves when the agent has reported how the step ended. */
  done: Promise<void>;
  /** Aborted when the step has run past its deadline, or with the AgentError for which its sandbox is not listened to any more. */
  signal: AbortSignal;
};

const reattachMsMax = 1000;
/** How long a step tries to reach an agent that is slow to prove itself, as on a busy machine. */
const sendPatienceMs = 15_000;
/** How long an agent has to report the end of a step that ran past its deadline. */
const lastAnswerMs = 5000;

/**
 * Reads a step's frames until its end is known. The first stream is the answer to the request that starts the step. That request is
 * repeated if the agent was too slow to prove itself. If a connection breaks, the request may have been read, so it is never sent again:
 * from then on the step is attached to by its id.
 *
 * @throws AgentError if the step provably did not start
 */
export async function readToEnd(deps: ReadDependencies, reading: Reading): Promise<StepEnd> {
  const { send, intake, onFrames, done, signal } = reading;
  let { route } = reading;
  let attached = send === null;
  const sendUntilMs = performance.now() + sendPatienceMs;
  for (let delayMs = 20; ; delayMs = Math.min(delayMs * 2, reattachMsMax)) {
    let undelivered: unknown = null;
    try {
      const stream = send && !attached ? send(onFrames, signal) : attach(deps, route, reading);
      // The step ends with `done`, even if the agent never closes its answer.
      await Promise.race([stream, done]);
      if (intake.done) {
        const end = withCauseOfStop(deps, { route, end: intake.done });
        return end instanceof Promise ? await end : end;
      }
    } catch (error) {
      const evicted = signal.reason instanceof AgentError ? signal.reason : null;
      if (signal.aborted && !evicted) return await askOnceMore(deps, { ...reading, route });
      const verdict = judgeCut(evicted ?? error, { attached, begun: intake.lastSeq > 0 });
      if (verdict === 'not-started') {
        if (!isSlow(error) || performance.now() > sendUntilMs) throw error;
        undelivered = error;
      } else if (verdict) return await conclude(deps, { ...reading, route }, verdict);
    }
    attached ||= !undelivered;
    deps.hint(route.sessionId);
    await delay(delayMs, undefined, { signal }).catch(() => {});
    const next = await routeAfterCut(deps, route);
    if (!('endpoint' in next)) {
      if (undelivered) throw undelivered;
      return next;
    }
    route = next;
  }
}

const isSlow = (error: unknown) =>
  error instanceof AgentError && error.kind === 'undelivered' && error.cause instanceof PeerTimeout;

/**
 * The end of a step that ran past its deadline. A sandbox is not destroyed for silence that is only ours: if this replica slept, or its
 * connection broke, the agent may have the result.
 */
async function askOnceMore(deps: ReadDependencies, reading: Reading): Promise<StepEnd> {
  const { route, intake, done } = reading;
  const stop = new AbortController();
  const clear = awakeTimeout(() => stop.abort(), lastAnswerMs);
  let verdict: ReturnType<typeof judgeCut> = null;
  try {
    await Promise.race([attach(deps, route, { ...reading, signal: stop.signal }), done]);
  } catch (error) {
    verdict = judgeCut(error, { attached: true, begun: intake.lastSeq > 0 });
  } finally {
    clear();
    stop.abort();
  }
  if (intake.done) return await withCauseOfStop(deps, { route, end: intake.done });
  if (verdict && verdict !== 'not-started') return await conclude(deps, reading, verdict);
  return await conclude(deps, reading, {
    end: lostEnd('overran', 'it ran past its deadline'),
    condemned: 'step_overran',
  });
}

/** The session ends before its step is recorded as lost, so that the registry can tell whether this replica still has a say. */
async function conclude(
  { condemn }: ReadDependencies,
  { route, stepId }: Reading,
  { end, condemned }: EndVerdict,
): Promise<StepEnd> {
  if (condemned) await condemn(route, { stepId, reason: condemned, message: `step ${stepId}: ${end.cause.message}` });
  return end;
}

/** Burns the id if the agent does not know it: a request that is still on its way must not run after the step was given up. */
function attach({ agents }: ReadDependencies, route: Route, { stepId, intake, onFrames, signal }: Reading) {
  const body = { after: intake.lastSeq, burn: true };
  return agents.stream(route, { path: `/v1/steps/${stepId}/attach`, body, onFrames, signal });
}

/** Reads the route of the same sandbox from the registry; returns the end of the step if that sandbox is gone. */
async function routeAfterCut({ routes }: ReadDependencies, route: Route): Promise<Route | StepEnd> {
  try {
    const found = await routes.refresh(route);
    return found.epoch === route.epoch ? found : lostEnd('sandbox_lost');
  } catch (error) {
    if (databaseUnavailable(error)) return route;
    if (!(error instanceof Problem)) throw error;
    const ended = sandboxEnds.find((end) => end === error.options.endReason);
    if (error.slug === 'session-starting' || error.slug === 'session-not-active') {
      // A session that has lost this sandbox says why. Otherwise its status is one that only newer replicas know, perhaps with the same sandbox.
      return error.options.endReason ? lostEnd(ended ?? 'sandbox_lost', error.options.detail) : route;
    }
    return ended ? lostEnd(ended, error.options.detail) : lostEnd('session_ended');
  }
}
