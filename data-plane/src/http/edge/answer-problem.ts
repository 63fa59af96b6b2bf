import { Problem } from '@holdfast/specs/public';
import type { EdgeContext } from './edge.ts';
import { setAnswerHeader } from './edge.ts';

/** The challenge of a server without an issuer of tokens (RFC 6750, 3). */
export const plainChallenge = 'Bearer realm="holdfast"';

/** Answers an error (RFC 9457). Only a `Problem` tells the caller more than that the server failed. */
export function answerProblem(error: Error, c: EdgeContext): Response {
  const problem = asProblem(error);
  const { retryAfterSeconds } = problem.options;
  c.get('event').problem = problem.slug;
  if (retryAfterSeconds !== undefined) setAnswerHeader(c, 'Retry-After', String(Math.ceil(retryAfterSeconds)));
  const challenge = c.get('challenge') ?? (problem.status === 401 ? plainChallenge : null);
  if (challenge !== null) setAnswerHeader(c, 'WWW-Authenticate', challenge);
  return c.body(JSON.stringify(problem.body(c.get('requestId'))), problem.status as 500, {
    'Content-Type': 'application/problem+json',
  });
}

export const asProblem = (error: unknown) =>
  error instanceof Problem ? error : new Problem('internal', { cause: error });
