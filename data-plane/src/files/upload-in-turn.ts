import type { z } from 'zod';
import type { AgentCall, AgentClient } from '../agent/agent-client.ts';
import { transferTimeoutMs } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { SessionLocks } from '../timing/session-locks.ts';

export type UploadDependencies = { agents: Pick<AgentClient, 'call'>; sessionLocks: SessionLocks };

type Upload<Answer> = Pick<AgentCall<Answer>, 'path' | 'headers' | 'onHeaders'> & {
  route: Route;
  body: AsyncIterable<Uint8Array>;
  schema: z.ZodType<Answer>;
  /** To be awaited before the body may end, when it is this upload's turn. */
  beforeEnd: () => Promise<void>;
  signal: AbortSignal;
};

/** How long an agent may take from the body's end to its answer: it puts what it has in its place. */
const placingMs = 120_000;

/**
 * Sends a body to an agent, which does nothing before the body's end. The end waits for the session's turn, and `record` has it too: what
 * agent and registry come to hold, they come to hold in one order.
 *
 * @throws AgentError, and what the body, `beforeEnd` and `record` throw
 */
export async function uploadInTurn<Answer, Result>(
  { agents, sessionLocks }: UploadDependencies,
  { route, body, beforeEnd, signal, ...call }: Upload<Answer>,
  record: (answer: Answer) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const come = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const until = AbortSignal.any([signal, stop.signal]);
  const sent = agents.call(route, {
    ...call,
    method: 'PUT',
    upload: withHeldEnd(body, { come, mayEnd }),
    signal: until,
    timeoutMs: transferTimeoutMs,
    withSteps: true,
  });
  try {
    await Promise.race([come.promise, sent.then(refuseEarly)]);
    return await sessionLocks.run(route.sessionId, async () => {
      await beforeEnd();
      const late = setTimeout(() => stop.abort(new Error('the end of an upload took too long')), placingMs);
      mayEnd.resolve();
      return await record(await sent.finally(() => clearTimeout(late)));
    });
  } catch (error) {
    mayEnd.reject(error);
    stop.abort(error);
    throw error;
  }
}

type HeldEnd = Record<'come' | 'mayEnd', PromiseWithResolvers<void>>;

async function* withHeldEnd(body: AsyncIterable<Uint8Array>, { come, mayEnd }: HeldEnd): AsyncGenerator<Uint8Array> {
  // Nobody may be left to wait for them.
  for (const { promise } of [come, mayEnd]) promise.catch(() => {});
  try {
    yield* body;
    come.resolve();
  } catch (error) {
    come.reject(error);
    throw error;
  }
  await mayEnd.promise;
}

function refuseEarly(): never {
  throw new AgentError('invalid', 'the agent answered before all was sent');
}
