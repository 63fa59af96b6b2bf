import type { EndReason } from '@holdfast/specs/public';
import { SandboxError } from '../../runtime.ts';

/** The meaning of an engine's refusal or failure. `refused` does not go away by itself. */
export type EngineErrorKind = 'unavailable' | 'not-found' | 'no-image' | 'name-taken' | 'subnet-taken' | 'refused';

/** A failed call to the engine. The message contains the engine's own words. */
export class EngineError extends Error {
  override name = 'EngineError';
  readonly kind: EngineErrorKind;

  constructor(kind: EngineErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message.slice(0, 1000), options);
    this.kind = kind;
  }
}

/** An HTTP response other than 2xx, as the client library throws it. */
type Refusal = Error & { statusCode: number; json?: { message?: string; cause?: string } | null };

/** Translates any failure of a call, from the client library or the socket. Pure. */
export function engineError(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  if (!isRefusal(cause)) {
    const { code, message } = cause as NodeJS.ErrnoException;
    return new EngineError('unavailable', `the container engine cannot be reached: ${message || code}`, { cause });
  }
  const said = cause.json?.message ?? cause.message;
  const message = `the container engine answered ${cause.statusCode}: ${said.trim()}`;
  return new EngineError(kindOf(cause.statusCode, said), message, { cause });
}

/** Translates an EngineError into the SandboxError with our reason. Returns any other error unchanged. Pure. */
export function sandboxError(cause: unknown): unknown {
  if (!(cause instanceof EngineError)) return cause;
  const [reason, retryAfterSeconds] = reasons[cause.kind];
  return new SandboxError(reason, cause.message, { cause, ...(retryAfterSeconds && { retryAfterSeconds }) });
}

/** The reason, and the number of seconds after which another attempt may succeed. */
const reasons: Record<EngineErrorKind, [EndReason, number?]> = {
  unavailable: ['runtime_unavailable', 5],
  'no-image': ['image_pull_failed'],
  'subnet-taken': ['unschedulable', 10],
  'name-taken': ['sandbox_start_failed'],
  'not-found': ['sandbox_start_failed'],
  refused: ['sandbox_start_failed'],
};

function isRefusal(cause: unknown): cause is Refusal {
  return cause instanceof Error && 'statusCode' in cause && typeof cause.statusCode === 'number';
}

/** Podman answers 500 to requests that Docker answers with a more precise code, and both express some causes only in the message. */
function kindOf(code: number, said: string): EngineErrorKind {
  if (/no such image|image not known/i.test(said)) return 'no-image';
  if (code === 404) return 'not-found';
  if (/name .*already in use|already in use by container/i.test(said)) return 'name-taken';
  if (/subnet .*already (being )?used|overlaps with other one|overlapping/i.test(said)) return 'subnet-taken';
  if (code === 502 || code === 503 || code === 504) return 'unavailable';
  return 'refused';
}
