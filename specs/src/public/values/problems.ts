import * as z from 'zod';
import { unexplained } from './fault-words.ts';
import { storable } from './storable.ts';

/** Every reason to refuse a request. Programs rely on the slug; people read the title. */
export const problems = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'A valid API key or token is required' },
  forbidden: { status: 403, title: 'Access denied' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'This endpoint does not support the method' },
  'policy-denied': { status: 403, title: "The session's policy forbids this" },
  'outside-workspace': { status: 403, title: 'The path is outside the workspace' },
  'context-busy': { status: 409, title: 'The context is running another step' },
  'session-not-active': { status: 409, title: 'The session is not active' },
  'session-paused': { status: 409, title: 'The session is paused' },
  'state-not-saved': { status: 409, title: 'A part of the state cannot be saved' },
  'state-reset': { status: 409, title: 'The context is in a different epoch' },
  'policy-changed': { status: 409, title: 'The policy of the session has changed' },
  'operation-ended': { status: 409, title: 'The operation no longer waits for an answer' },
  'stdin-closed': { status: 409, title: 'The step or process does not accept input' },
  'process-ended': { status: 409, title: 'The process has ended' },
  'no-terminal': { status: 409, title: 'The process has no terminal' },
  'idempotency-conflict': { status: 409, title: 'The first request with this Idempotency-Key is still running' },
  'last-admin-key': { status: 409, title: 'The last key with the scope admin cannot be revoked' },
  'step-repeated': { status: 409, title: 'The step id has already been used' },
  'name-taken': { status: 409, title: 'The name is already in use' },
  'proposal-conflict': { status: 409, title: 'The change does not fit the files or proposals of the session' },
  'path-conflict': { status: 409, title: 'Something else already exists at this path' },
  'session-ended': { status: 410, title: 'The session has ended' },
  'output-gone': { status: 410, title: 'The output is not stored any more' },
  'context-deleted': { status: 410, title: 'The context has been deleted' },
  'precondition-failed': { status: 412, title: 'The file has changed since you read it' },
  'body-too-large': { status: 413, title: 'The request body is too large' },
  'unsupported-media-type': { status: 415, title: 'The content type or encoding is not supported' },
  'range-not-satisfiable': { status: 416, title: 'The range is beyond the end of the file' },
  'wrong-sandbox': { status: 421, title: 'The request is meant for another sandbox' },
  'idempotency-mismatch': { status: 422, title: 'The Idempotency-Key was used with a different request' },
  'unsupported-by-runtime': { status: 422, title: 'The runtime does not support this' },
  'command-not-started': { status: 422, title: 'The command cannot be started' },
  'archive-refused': { status: 422, title: 'The archive was rejected' },
  'snapshot-refused': { status: 422, title: 'The snapshot cannot be used here' },
  'digest-mismatch': { status: 422, title: 'The body does not match its digest' },
  'budget-exceeded': { status: 429, title: 'The budget does not allow this' },
  'quota-exceeded': { status: 429, title: 'A limit has been reached' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  'not-configured': { status: 501, title: 'The operator has not set this up' },
  'sandbox-failed': { status: 502, title: 'The sandbox did not return a valid answer' },
  'port-closed': { status: 502, title: 'No server answers at this port of the sandbox' },
  'sandbox-unreachable': { status: 503, title: 'The sandbox cannot be reached' },
  'session-starting': { status: 503, title: 'The session is still starting' },
  'results-unacknowledged': { status: 503, title: 'The sandbox holds too many results that are not yet recorded' },
  draining: { status: 503, title: 'The server is shutting down' },
  'issuer-unreachable': { status: 503, title: 'The issuer of the token cannot be reached' },
  'database-unavailable': { status: 503, title: 'The database cannot be reached' },
  'world-unsettled': { status: 503, title: 'A change to the files is not recorded yet' },
  'storage-unavailable': { status: 503, title: 'The file storage cannot be reached' },
  'workspace-full': { status: 507, title: 'There is not enough space left' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemSlug = keyof typeof problems;

/** One fault of a request. `pointer` is a JSON pointer (RFC 6901) into the body, or `query/name`, `path/name`, `header/name`. */
export type Fault = { pointer: string; detail: string };

/** The body of every error answer: RFC 9457, `application/problem+json`. */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'URL of the description of this problem, relative to the server' }),
    code: z.enum(Object.keys(problems) as [ProblemSlug, ...ProblemSlug[]]),
    title: z.string().overwrite((value) => storable(value, 256)),
    status: z.number().int(),
    detail: z
      .string()
      .overwrite((value) => storable(value, 1000))
      .optional(),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
    requestId: z.string().optional(),
    endReason: z.string().optional().meta({
      description:
        'With `session-ended`, the reason for the end; of a session that lost its sandbox, the reason for that',
    }),
    endedAt: z
      .string()
      .optional()
      .meta({ description: 'Only with `session-ended`: the time of the end, as in RFC 3339' }),
  })
  .meta({ id: 'Problem' });

export type ProblemBody = z.infer<typeof problemSchema>;

type ProblemOptions = {
  /** For the caller. */
  detail?: string;
  errors?: Fault[];
  /** Seconds, sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Only for the log. */
  cause?: unknown;
  endReason?: string;
  endedAt?: string;
};

/** The only error that becomes an answer of its own. Any other error becomes `internal`. */
export class Problem extends Error {
  readonly slug: ProblemSlug;
  readonly status: number;
  readonly options: ProblemOptions;

  constructor(slug: ProblemSlug, options: ProblemOptions = {}) {
    super(`${slug}: ${options.detail ?? problems[slug].title}`, { cause: options.cause });
    this.name = 'Problem';
    this.slug = slug;
    this.status = problems[slug].status;
    this.options = options;
  }

  /** The body of the answer, without `cause`. */
  body(requestId?: string): ProblemBody {
    const { detail, errors, endReason, endedAt } = this.options;
    return {
      type: `/docs#problem-${this.slug}`,
      code: this.slug,
      title: problems[this.slug].title,
      status: this.status,
      ...(detail && { detail }),
      ...(errors && { errors }),
      ...(requestId && { requestId }),
      ...(endReason && { endReason }),
      ...(endedAt && { endedAt }),
    };
  }
}

/** All faults that zod found with `faultWords`, as one `invalid-request`. `root` precedes each pointer: `query`, `path`, or nothing for a body. */
export function invalidRequest(error: z.ZodError, root = ''): Problem {
  const errors = error.issues.flatMap((issue) => faultsOf(issue, root));
  return new Problem('invalid-request', { detail: `${errors.length} fault${errors.length === 1 ? '' : 's'}`, errors });
}

function faultsOf(issue: z.core.$ZodIssue, root: string): Fault[] {
  const pointer = `${root}${issue.path.map((key) => `/${escapePointer(String(key))}`).join('')}`;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ pointer: `${pointer}/${escapePointer(key)}`, detail: 'unknown field' }));
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ pointer, detail: message }));
  if (issue.code === 'invalid_union') return unionFaults(issue, pointer);
  return [{ pointer, detail: issue.message }];
}

/** The faults of the form that the value comes closest to: the one whose faults lie inside the value, and are few. */
function unionFaults({ errors, message }: z.core.$ZodIssueInvalidUnion, pointer: string): Fault[] {
  // A schema that says more itself has other words.
  if (message !== unexplained) return [{ pointer, detail: message }];
  const inside = errors.filter((issues) =>
    issues.some(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  const [closest] = inside.toSorted((a, b) => a.length - b.length);
  if (closest) return closest.flatMap((issue) => faultsOf(issue, pointer));
  const details = errors.flatMap((issues) => issues.map((issue) => issue.message));
  return [{ pointer, detail: details.length > 0 ? [...new Set(details)].join('; or: ') : message }];
}

const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
