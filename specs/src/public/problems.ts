import * as z from 'zod';
import { storable } from './text.ts';

/** Every way in which a request can be refused. The slug is the contract; the title is for people. */
export const problems = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'A valid API key is required' },
  forbidden: { status: 403, title: 'The API key lacks the scope for this' },
  'not-found': { status: 404, title: 'There is no such thing' },
  'method-not-allowed': { status: 405, title: 'The route does not know this method' },
  'outside-workspace': { status: 403, title: 'The path leads out of the workspace' },
  'context-busy': { status: 409, title: 'The context is running another step' },
  'session-not-active': { status: 409, title: 'The session is not active' },
  'state-reset': { status: 409, title: 'The context is in another epoch' },
  'stdin-closed': { status: 409, title: 'The step takes no input' },
  'idempotency-conflict': { status: 409, title: 'The first request with this Idempotency-Key is still running' },
  'step-repeated': { status: 409, title: 'The step id was used before' },
  'path-conflict': { status: 409, title: 'What lies at the path is in the way' },
  'session-ended': { status: 410, title: 'The session has ended' },
  'context-deleted': { status: 410, title: 'The context was deleted' },
  'precondition-failed': { status: 412, title: 'The file is not the one that the request is about' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body must be JSON' },
  'range-not-satisfiable': { status: 416, title: 'The file has no such range' },
  'wrong-sandbox': { status: 421, title: 'The request is meant for another sandbox' },
  'idempotency-mismatch': { status: 422, title: 'The Idempotency-Key was used with another request' },
  'unsupported-by-runtime': { status: 422, title: 'The runtime cannot give this' },
  'archive-refused': { status: 422, title: 'The archive cannot be taken' },
  'digest-mismatch': { status: 422, title: 'The body is not what its digest says' },
  'quota-exceeded': { status: 429, title: 'A limit is reached' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  'sandbox-failed': { status: 502, title: 'The sandbox gave no valid answer' },
  'sandbox-unreachable': { status: 503, title: 'The sandbox cannot be reached' },
  'session-starting': { status: 503, title: 'The session is still starting' },
  'results-unacknowledged': { status: 503, title: 'The sandbox holds too many results that are not recorded yet' },
  draining: { status: 503, title: 'The server is shutting down' },
  'database-unavailable': { status: 503, title: 'The database cannot be reached' },
  'storage-unavailable': { status: 503, title: 'The storage of files cannot be reached' },
  'workspace-full': { status: 507, title: 'There is no room left for this' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemSlug = keyof typeof problems;

/** One fault of a request. `pointer` is a JSON pointer (RFC 6901) into the body, or `query/name`, `path/name`, `header/name`. */
export type Fault = { pointer: string; detail: string };

/** The body of every error answer: RFC 9457, `application/problem+json`. */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'Where the problem is described, relative to the server' }),
    code: z.enum(Object.keys(problems) as [ProblemSlug, ...ProblemSlug[]]),
    title: z.string().overwrite((value) => storable(value, 256)),
    status: z.number().int(),
    detail: z
      .string()
      .overwrite((value) => storable(value, 1000))
      .optional(),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
    requestId: z.string().optional(),
    endReason: z.string().optional().meta({ description: 'session-ended: why the session ended' }),
    endedAt: z.string().optional().meta({ description: 'session-ended: when, RFC 3339' }),
  })
  .meta({ id: 'Problem' });

export type ProblemBody = z.infer<typeof problemSchema>;

type ProblemOptions = {
  /** For the caller. */
  detail?: string;
  errors?: Fault[];
  /** Seconds, sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** For the log alone. */
  cause?: unknown;
  endReason?: string;
  endedAt?: string;
};

/** The one error that becomes an answer. Anything else that is thrown becomes `internal`. */
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

  /** The answer's body; `cause` stays out of it. */
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

/** Every fault that zod found, as `invalid-request`; `root` is put before each pointer (`query`, `path`, or nothing for a body). */
export function invalidRequest(error: z.ZodError, root = ''): Problem {
  const errors = error.issues.flatMap((issue): Fault[] => {
    const at = (path: PropertyKey[]) => `${root}${path.map((key) => `/${escapePointer(String(key))}`).join('')}`;
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ pointer: at([...issue.path, key]), detail: 'unknown field' }));
    }
    if (issue.code === 'invalid_key')
      return issue.issues.map(({ message }) => ({ pointer: at(issue.path), detail: message }));
    return [{ pointer: at(issue.path), detail: issue.message }];
  });
  return new Problem('invalid-request', { detail: `${errors.length} fault${errors.length === 1 ? '' : 's'}`, errors });
}

const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
