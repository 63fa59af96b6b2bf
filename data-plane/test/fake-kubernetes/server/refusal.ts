import { kinds, type ObjectMeta, type Resource } from './objects.ts';

type Cause = { reason: string; field: string; message: string };
type Details = { name?: string; kind?: string; retryAfterSeconds?: number; causes?: Cause[] };

/** Ends a request with a `Status` as the API server words it. */
export class Refusal extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: Details | undefined;
  /** A `continue` with which the client may go on listing newer objects. */
  readonly resume: string | undefined;

  constructor(code: number, reason: string, message: string, more: { details?: Details; resume?: string } = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = more.details;
    this.resume = more.resume;
  }

  status() {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.resume === undefined ? {} : { continue: this.resume },
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}

type Target = { resource: Resource; name: string };

const named = ({ resource, name }: Target) => ({ details: { name, kind: resource } });

export const badRequest = (message: string) => new Refusal(400, 'BadRequest', message);

export const unauthorized = () => new Refusal(401, 'Unauthorized', 'Unauthorized');

export const forbidden = (target: Target, why: string) =>
  new Refusal(403, 'Forbidden', `${target.resource} "${target.name}" is forbidden: ${why}`, named(target));

export const notFound = (target: Target) =>
  new Refusal(404, 'NotFound', `${target.resource} "${target.name}" not found`, named(target));

/** An object that is being deleted occupies its name until it is gone. */
export const alreadyExists = (target: Target, { deletionTimestamp }: ObjectMeta) =>
  new Refusal(
    409,
    'AlreadyExists',
    `${deletionTimestamp ? 'object is being deleted: ' : ''}${target.resource} "${target.name}" already exists`,
    named(target),
  );

export const conflict = (target: Target, why: string) =>
  new Refusal(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${target.resource} "${target.name}": Precondition failed: ${why}`,
    named(target),
  );

export const invalid = ({ resource, name }: Target, causes: Cause[]) =>
  new Refusal(
    422,
    'Invalid',
    `${kinds[resource]} "${name}" is invalid: ${causes.map(({ field, message }) => `${field}: ${message}`).join(', ')}`,
    { details: { name, kind: kinds[resource], causes } },
  );

/** The error that a watch gets for a version that the server has dropped. */
export const expiredVersion = (version: number, oldest: number) =>
  new Refusal(410, 'Expired', `too old resource version: ${version} (${oldest})`);

export const expiredContinue = (resume: string) =>
  new Refusal(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    { resume },
  );

const transient: Record<number, [reason: string, message: string]> = {
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  500: ['InternalError', 'Internal error occurred: etcdserver: leader changed'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted timeout'],
};

/** The answer of a server that is temporarily unable to serve. */
export function cannotNow(code: number, retryAfterSeconds?: number): Refusal {
  const [reason, message] = transient[code] ?? ['InternalError', `code ${code}`];
  return new Refusal(code, reason, message, retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } });
}
