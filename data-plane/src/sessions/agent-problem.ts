import { Problem, type ProblemSlug, problems } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';

/** Refusals of an agent that are the caller's business; any other is ours. */
export const passedOn: ReadonlySet<ProblemSlug> = new Set([
  'invalid-request',
  'not-found',
  'outside-workspace',
  'session-busy',
  'state-reset',
  'stdin-closed',
  'path-conflict',
  'context-deleted',
  'precondition-failed',
  'body-too-large',
  'range-not-satisfiable',
  'archive-refused',
  'digest-mismatch',
  'workspace-full',
  'unsupported-by-runtime',
  'quota-exceeded',
  'results-unacknowledged',
]);

/** Statuses of refusals that are over soon. */
const passing: ReadonlySet<number> = new Set([429, 503]);

/** What a caller is told where an agent gave no answer of use. One that did not answer at all is to be looked at. */
export function agentProblem(
  { hint }: { hint(sessionId: string): void },
  { sessionId, error }: { sessionId: string; error: unknown },
): unknown {
  if (!(error instanceof AgentError)) return error;
  if (error.kind === 'undelivered' || error.kind === 'cut') {
    hint(sessionId);
    return new Problem('sandbox-unreachable', {
      detail: 'the sandbox did not answer',
      retryAfterSeconds: 1,
      cause: error,
    });
  }
  if (!error.slug || !passedOn.has(error.slug)) return new Problem('sandbox-failed', { cause: error });
  const wait = passing.has(problems[error.slug].status) ? { retryAfterSeconds: 1 } : {};
  const errors = error.faults ? { errors: error.faults } : {};
  return new Problem(error.slug, { detail: error.message, ...errors, ...wait, cause: error });
}
