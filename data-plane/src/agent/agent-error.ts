import { type Fault, type ProblemSlug, problemSchema, storable } from '@holdfast/specs/public';
import { parseJson } from './parse-json.ts';

type AgentErrorOptions = { slug?: ProblemSlug; faults?: Fault[]; cause?: unknown };

const faultsMax = 100;
const refusalWeightMax = 20_000;

/**
 * Why a request to an agent has no usable answer.
 * - `refused`: the agent answered with a problem, `slug`; it did nothing.
 * - `undelivered`: nothing was written; it may be repeated.
 * - `cut`: the connection ended after something was written; whether the agent acted is not known.
 * - `invalid`: the agent broke its protocol.
 * - `excessive`: the session has sent more than fits into the memory for it.
 */
export class AgentError extends Error {
  override name = 'AgentError';
  readonly kind: 'refused' | 'undelivered' | 'cut' | 'invalid' | 'excessive';
  readonly slug: ProblemSlug | null;
  /** The faults that the agent found in the request, if it lists any. */
  readonly faults: Fault[] | null;

  constructor(kind: AgentError['kind'], message: string, options: AgentErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.slug = options.slug ?? null;
    this.faults = options.faults ?? null;
  }
}

/** The problem in an agent's error answer; any other answer is `invalid`. */
export function refusalFrom(status: number, body: Buffer): AgentError {
  try {
    const problem = problemSchema.parse(parseJson(body, { weightMax: refusalWeightMax }));
    const faults = problem.errors
      ?.slice(0, faultsMax)
      .map(({ pointer, detail }) => ({ pointer: storable(pointer, 1000), detail: storable(detail, 1000) }));
    return new AgentError('refused', problem.detail ?? problem.title, { slug: problem.code, faults });
  } catch (cause) {
    return new AgentError('invalid', `the agent answered ${status} without a problem`, { cause });
  }
}
