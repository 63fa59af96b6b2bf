import { type ProblemSlug, problemSchema } from '@holdfast/specs';

/**
 * Why a request to an agent has no answer of use.
 * - `refused`: the agent answered with a problem, `slug`; it did nothing.
 * - `undelivered`: nothing was written; it may be repeated.
 * - `cut`: the connection ended after something was written; whether the agent acted is not known.
 * - `invalid`: the agent said what it must not say.
 */
export class AgentError extends Error {
  override name = 'AgentError';
  readonly kind: 'refused' | 'undelivered' | 'cut' | 'invalid';
  readonly slug: ProblemSlug | null;

  constructor(kind: AgentError['kind'], message: string, options: { slug?: ProblemSlug; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.slug = options.slug ?? null;
  }
}

/** The problem in an agent's error answer; what is none is `invalid`. */
export function refusalFrom(status: number, body: Buffer): AgentError {
  try {
    const problem = problemSchema.parse(JSON.parse(body.toString()));
    return new AgentError('refused', problem.detail ?? problem.title, { slug: problem.code });
  } catch (cause) {
    return new AgentError('invalid', `the agent answered ${status} without a problem`, { cause });
  }
}
