import type { Problem } from '../generated/api.ts';

/** The codes of the API's problems, those of a client that did not get a proper answer, and those that a newer server may have. */
export type ErrorCode = Problem['code'] | 'connection-failed' | 'unexpected-answer' | 'input-lost' | (string & {});

type Fields = Partial<Omit<Problem, 'code' | 'title' | 'type'>> & { retryAfterSeconds?: number | undefined };

/**
 * Everything that Holdfast refuses and every connection that fails. Code of a step that raises is a result, and never an error.
 * @example
 * try {
 *   await session.run('x + 1');
 * } catch (error) {
 *   if (error instanceof HoldfastError && error.code === 'session-ended') console.log(error.endReason);
 *   else throw error;
 * }
 */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly code: ErrorCode;
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  /** The reason for this very request, and how to go on. */
  readonly detail: string | undefined;
  /** All faults of a request that is not valid, each with the place in the request. */
  readonly errors: Problem['errors'];
  /** Names the request in the logs of the server. */
  readonly requestId: string | undefined;
  /** The server's advice when to try again. */
  readonly retryAfterSeconds: number | undefined;
  /** Why and when the session has ended, with the code `session-ended`. */
  readonly endReason: Problem['endReason'];
  readonly endedAt: Problem['endedAt'];

  constructor(code: ErrorCode, title: string, fields: Fields & { cause?: unknown } = {}) {
    const reason = faultsIn(fields.errors) ?? fields.detail;
    super(reason ? `${title}: ${reason}` : title, 'cause' in fields ? { cause: fields.cause } : {});
    this.code = code;
    this.status = fields.status;
    this.detail = fields.detail;
    this.errors = fields.errors;
    this.requestId = fields.requestId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.endReason = fields.endReason;
    this.endedAt = fields.endedAt;
  }
}

/** The first faults of a request, each with its place, as one text. */
function faultsIn(errors: Problem['errors']): string | undefined {
  if (!errors?.length) return undefined;
  const told = errors.slice(0, faultsToldMax).map(({ pointer, detail }) => `${pointer} ${detail}`);
  return [...told, ...(errors.length > faultsToldMax ? [`and ${errors.length - faultsToldMax} more`] : [])].join('; ');
}

const faultsToldMax = 5;

/** Whether the error is a refusal with this code. */
export const isRefusal = (error: unknown, code: ErrorCode): error is HoldfastError =>
  error instanceof HoldfastError && error.code === code;

/** A stream ended, or its connection broke, although more was to come. */
export const connectionBroke = (cause?: unknown) =>
  new HoldfastError('connection-failed', 'The stream broke off before its last event', { cause });

/** The error that an answer stands for. A proxy in between may answer something that is not a problem. */
export async function errorOf(response: Response): Promise<HoldfastError> {
  const { status, type, headers } = response;
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const fields = { status, detail: headers.get('Location') ?? undefined };
    return new HoldfastError('unexpected-answer', 'The url of the server leads to another address', fields);
  }
  const text = await response.text().catch(() => '');
  return errorOfProblem(parsed(text), status, retryAfterSeconds(headers.get('Retry-After')));
}

/** `status` and `retryAfterSeconds` are those of the answer. */
export function errorOfProblem(problem: unknown, status?: number, retryAfterSeconds?: number): HoldfastError {
  if (!isProblem(problem)) {
    const title = `The server answered with status ${status ?? 'unknown'}, and not as Holdfast does`;
    return new HoldfastError('unexpected-answer', title, { status, retryAfterSeconds });
  }
  return new HoldfastError(problem.code, problem.title, { ...problem, retryAfterSeconds });
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'title' in value;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The header is a number of seconds or a date (RFC 9110, 10.2.3). */
function retryAfterSeconds(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
