import { transferTimeoutMs } from '../agent/agent-client.ts';
import { keepActive } from '../sessions/keep-active.ts';
import { bodyTooLarge, boundedBody } from './bounded-body.ts';
import { changeOutside, isRefusal, type OutsideChange, type OutsideDependencies } from './change-outside.ts';

export type UploadOutsideDependencies = OutsideDependencies & { limits: { uploadBytesMax: number } };

type OutsideUpload<Answer> = Omit<OutsideChange<Answer>, 'leavesAll'> & {
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** The announced length of the body in bytes. */
  size: number;
};

/**
 * As `changeOutside`, with a body, which the agent uses only as a whole. The session does not idle out meanwhile.
 * @throws Problem 413, and the errors of the body
 */
export async function uploadOutside<Answer>(
  deps: UploadOutsideDependencies,
  { body, size, ...change }: OutsideUpload<Answer>,
): Promise<Answer> {
  const { uploadBytesMax } = deps.limits;
  if (size > uploadBytesMax) throw bodyTooLarge(uploadBytesMax);
  const { sessionId, caller } = change;
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const failure: { cause?: unknown } = {};
  const call = {
    ...change.call,
    upload: noting(boundedBody(body, uploadBytesMax), failure),
    timeoutMs: transferTimeoutMs,
    withSteps: true,
  };
  const leavesAll = (error: unknown) => 'cause' in failure || isRefusal(error);
  try {
    return await keepActive(deps, route, () => changeOutside(deps, { ...change, call, leavesAll }));
  } catch (error) {
    // A body that fails looks like a connection that fails.
    throw 'cause' in failure ? failure.cause : error;
  }
}

async function* noting(body: AsyncIterable<Uint8Array>, failure: { cause?: unknown }): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    failure.cause = cause;
    throw cause;
  }
}
