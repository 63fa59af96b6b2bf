import type { EndReason } from '@holdfast/specs/public';
import { SandboxError } from '../../runtime.ts';

/**
 * What a refusal or a failure of the Kubernetes API means to us. `conflict` is a write that met another one and may be repeated;
 * `expired` is a resource version or a continuation that the server no longer has; `refused` will not go away by itself.
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

/** A call to the API server that did not succeed; the message has the server's own words. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly kind: ApiErrorKind;
  /** Whether the server gave an answer at all. */
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

/** An HTTP answer other than 2xx. The body is a `Status` object as JSON, or whatever stands in front of the server has said. */
export type Answer = { code: number; body: unknown; headers: Record<string, unknown> };

/** Any failure of a call, from the client library or the network. Pure. */
export function apiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  if (isAnswer(cause)) return refusal(cause);
  return new ApiError('unavailable', `the Kubernetes API cannot be reached: ${innermost(cause)}`, {
    cause,
    answered: false,
  });
}

/** A failure that ends a launch, or an observation, with a reason of ours. Pure. */
export function sandboxError(cause: unknown): unknown {
  if (!(cause instanceof ApiError)) return cause;
  const [reason, seconds] = reasons[cause.kind];
  const retryAfterSeconds = seconds && Math.max(seconds, cause.retryAfterSeconds ?? 0);
  return new SandboxError(reason, cause.message, { cause, ...(retryAfterSeconds && { retryAfterSeconds }) });
}

/** With the seconds after which it may be otherwise. */
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

/** Pure. */
export function refusal({ code, body, headers }: Answer): ApiError {
  const status = parseStatus(body);
  const message = `the Kubernetes API answered ${code}: ${status.message ?? status.reason ?? 'without a word'}`;
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
  // A token that has just been replaced is refused for a moment.
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
