import { Problem, type ProblemSlug, problems, storable } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';
import type { Routes } from './sandbox-routes.ts';

/** An agent's refusals that are the caller's business; any other one is ours. */
export const passedOn: ReadonlySet<ProblemSlug> = new Set([
  'invalid-request',
  'not-found',
  'outside-workspace',
  'context-busy',
  'session-paused',
  'state-reset',
  'stdin-closed',
  'process-ended',
  'no-terminal',
  'command-not-started',
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
  'port-closed',
]);

/** Statuses of refusals that are over soon. */
const temporary: ReadonlySet<number> = new Set([429, 503]);

/**
 * The problem to throw after a call to an agent has failed; an error of another kind is returned unchanged. An agent that did not answer
 * leaves a hint.
 */
export function agentProblem(
  { hint }: { hint(sessionId: string): void },
  { sessionId, error }: { sessionId: string; error: unknown },
): unknown {
  if (isLate(error) || (error instanceof AgentError && (error.kind === 'undelivered' || error.kind === 'cut'))) {
    hint(sessionId);
    return new Problem('sandbox-unreachable', {
      detail: 'the sandbox did not answer',
      retryAfterSeconds: 1,
      cause: error,
    });
  }
  if (!(error instanceof AgentError)) return error;
  if (!error.slug || !passedOn.has(error.slug)) {
    // Only then is the message the agent's own, about the code in the sandbox.
    const told = error.slug === 'sandbox-failed' ? { detail: storable(error.message, 1000) } : {};
    return new Problem('sandbox-failed', { ...told, cause: error });
  }
  const wait = temporary.has(problems[error.slug].status) ? { retryAfterSeconds: 1 } : {};
  const errors = error.faults ? { errors: error.faults } : {};
  return new Problem(error.slug, { detail: error.message, ...errors, ...wait, cause: error });
}

/** Work with several requests has one time limit, which can also pass between two of them. */
const isLate = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError';

export type ExplainDependencies = { routes: Pick<Routes, 'refresh'>; hint(sessionId: string): void };

type FailedCall = { key: { sessionId: string; tenant: string }; error: unknown };

/**
 * As `agentProblem`, but first reads the route anew: if the session has ended or has no sandbox, without this replica's knowledge, that
 * is the better explanation.
 * @throws Problem 404, 410 or 503 about the session
 */
export async function explainFailedCall(deps: ExplainDependencies, { key, error }: FailedCall): Promise<unknown> {
  let isDoubted = false;
  const noteDoubt = () => {
    isDoubted = true;
  };
  const problem = agentProblem({ hint: noteDoubt }, { sessionId: key.sessionId, error });
  try {
    if (problem !== error) await deps.routes.refresh(key);
    return problem;
  } finally {
    // Last, so that the check to which it leads does not race with the answer.
    if (isDoubted) deps.hint(key.sessionId);
  }
}
