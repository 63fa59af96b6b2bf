import type { EndReason } from '@holdfast/specs/public';
import { SandboxError } from '../../runtime.ts';

/**
 * The meaning of a refusal or a failure of the Kubernetes API. `conflict` is a write that collided with another one and may be repeated;
 * `expired` is a resource version or a continuation that the server no longer has; `refused` does not go away by itself.
 */
export type ApiErrorKind =
  | 'unavailable'
  | 'throttled'
  | 'not-found'
  | 'already-exists'
  | 'conflict'
  | 'expired'
  | 'over-quota'
  | 'refused';

/** A failed call to the API server. The message contains the server's own words. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly kind: ApiErrorKind;
  /** Whether the server answered at all. */
  readonly answered: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    kind: ApiErrorKind,
    message: string,
    options: { cause?: unknown; answered?: boolean; retryAfterSeconds?: number } = {},
  ) {
    super(message.slice(0, 1000), { cause: options.cause });
    this.kind = kind;
    this.answered = options.answered ?? true;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** An HTTP response other than 2xx. The body is a `Status` object as JSON, or any text from a proxy in front of the server. */
export type Answer = { code: number; body: unknown; headers: Record<string, unknown> };

/** Translates any failure of a call, from the client library or the network. Pure. */
export function apiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  if (isAnswer(cause)) return refusal(cause);
  return new ApiError('unavailable', `the Kubernetes API cannot be reached: ${innermost(cause)}`, {
    cause,
    answered: false,
  });
}

/** Translates an ApiError into the SandboxError with our reason. Returns any other error unchanged. Pure. */
export function sandboxError(cause: unknown): unknown {
  if (!(cause instanceof ApiError)) return cause;
  const [reason, seconds] = reasons[cause.kind];
  const retryAfterSeconds = seconds && Math.max(seconds, cause.retryAfterSeconds ?? 0);
  return new SandboxError(reason, cause.message, { cause, ...(retryAfterSeconds && { retryAfterSeconds }) });
}

/** The reason, and the number of seconds after which another attempt may succeed. */
const reasons: Record<ApiErrorKind, [EndReason, number?]> = {
  unavailable: ['runtime_unavailable', 5],
  throttled: ['runtime_unavailable', 1],
  conflict: ['runtime_unavailable', 1],
  expired: ['runtime_unavailable', 1],
  'over-quota': ['unschedulable', 10],
  'not-found': ['sandbox_start_failed'],
  'already-exists': ['sandbox_start_failed'],
  refused: ['sandbox_start_failed'],
};

function isAnswer(cause: unknown): cause is Answer {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'number' && 'headers' in cause;
}

/** @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
type Status = { reason?: string; message?: string; details?: { retryAfterSeconds?: number } };

/** Translates a response other than 2xx. Pure. */
export function refusal({ code, body, headers }: Answer): ApiError {
  const status = parseStatus(body);
  const message = `the Kubernetes API answered ${code}: ${status.message ?? status.reason ?? 'no message'}`;
  const seconds = Number(headers['retry-after'] ?? status.details?.retryAfterSeconds ?? Number.NaN);
  if (!(seconds >= 0)) return new ApiError(kindOf(code, status), message);
  const kind = code === 503 ? 'throttled' : kindOf(code, status);
  return new ApiError(kind, message, { retryAfterSeconds: seconds });
}

function kindOf(code: number, { reason, message = '' }: Status): ApiErrorKind {
  if (code === 429) return 'throttled';
  if (code === 404) return 'not-found';
  if (code === 409) return reason === 'AlreadyExists' ? 'already-exists' : 'conflict';
  if (code === 410) return 'expired';
  if (code === 403 && /exceeded quota/.test(message)) return 'over-quota';
  // The server refuses a token for a moment after it was replaced.
  if (code === 401 || code === 408 || code >= 500) return 'unavailable';
  return 'refused';
}

function parseStatus(body: unknown): Status {
  if (typeof body !== 'string') return {};
  try {
    return (JSON.parse(body) as Status | null) ?? {};
  } catch {
    return { message: body.trim().slice(0, 200) };
  }
}

function innermost(cause: unknown): string {
  let error = cause;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  return error instanceof Error
    ? error.message || String((error as NodeJS.ErrnoException).code ?? error.name)
    : String(error);
}
