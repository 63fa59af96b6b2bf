import type { z } from 'zod';
import type { AgentCall, AgentClient } from '../agent/agent-client.ts';
import { transferTimeoutMs } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Database } from '../registry/connect.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import { keepActive } from '../sessions/keep-active.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { Worlds } from '../world/create-worlds.ts';

export type UploadDependencies = { db: Database; agents: Pick<AgentClient, 'call'>; worlds: Pick<Worlds, 'write'> };

type Upload<Answer> = Pick<
  AgentCall<Answer>,
  'method' | 'path' | 'headers' | 'onHeaders' | 'list' | 'answerBytesMax'
> & {
  route: Route;
  body: AsyncIterable<Uint8Array>;
  schema: z.ZodType<Answer>;
  /** Whether this refusal of the agent says that it changed nothing. */
  leavesAll: (refusal: AgentError) => boolean;
  /** Awaited while the world is claimed, before the body may end. */
  beforeEnd: (claim: WorldClaim) => Promise<void>;
  signal: AbortSignal;
};

/** The time that an agent has to put the file in its place, from the end of the body to its answer. */
const placingMs = 120_000;

/**
 * Sends a body to an agent, which changes nothing before the end of the body. Only for that end the world is claimed, and `record`
 * releases the claim, so the working copy and the world change in the same order. The session does not idle out meanwhile.
 *
 * @throws AgentError, and the errors of the body, the claim, `beforeEnd` and `record`
 */
export async function uploadInOrder<Answer, Result>(
  deps: UploadDependencies,
  upload: Upload<Answer>,
  record: (answer: Answer, claim: WorldClaim) => Promise<Result>,
): Promise<Result> {
  return await keepActive(deps, upload.route, () => sendAndRecord(deps, upload, record));
}

async function sendAndRecord<Answer, Result>(
  { agents, worlds }: UploadDependencies,
  { route, body, leavesAll, beforeEnd, signal, ...call }: Upload<Answer>,
  record: (answer: Answer, claim: WorldClaim) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const bodySent = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const leave = () => stop.abort(signal.reason);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  const sent = agents.call(route, {
    ...call,
    upload: withHeldEnd(body, { bodySent, mayEnd }),
    signal: stop.signal,
    timeoutMs: transferTimeoutMs,
    withSteps: true,
  });
  try {
    await Promise.race([bodySent.promise, sent.then(refuseEarly)]);
    return await worlds.write({ sessionId: route.sessionId, route }, async ({ claim, touch }) => {
      await beforeEnd(claim);
      const place = async () => {
        stop.signal.throwIfAborted();
        // From here on the agent may place the file. A client that leaves does not change that, and must not hide what became of it.
        signal.removeEventListener('abort', leave);
        const late = setTimeout(() => stop.abort(new Error('the end of an upload took too long')), placingMs);
        mayEnd.resolve();
        return await sent.finally(() => clearTimeout(late));
      };
      return await record(await touch(place, { leavesAll }), claim);
    });
  } catch (error) {
    mayEnd.reject(error);
    stop.abort(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

type HeldEnd = Record<'bodySent' | 'mayEnd', PromiseWithResolvers<void>>;

async function* withHeldEnd(
  body: AsyncIterable<Uint8Array>,
  { bodySent, mayEnd }: HeldEnd,
): AsyncGenerator<Uint8Array> {
  // After a failure no caller may be left that waits for them.
  for (const { promise } of [bodySent, mayEnd]) promise.catch(() => {});
  try {
    yield* body;
    bodySent.resolve();
  } catch (error) {
    bodySent.reject(error);
    throw error;
  }
  await mayEnd.promise;
}

function refuseEarly(): never {
  throw new AgentError('invalid', 'the agent answered before the end of the body');
}
