import { Problem } from '@holdfast/specs/public';
import type { EdgeContext } from './edge.ts';
import { setAnswerHeader } from './edge.ts';

/** Answers an error (RFC 9457). Only a `Problem` tells the caller more than that the server failed. */
export function answerProblem(error: Error, c: EdgeContext): Response {
  const problem = asProblem(error);
  const { retryAfterSeconds } = problem.options;
  c.get('event').problem = problem.slug;
  if (retryAfterSeconds !== undefined) setAnswerHeader(c, 'Retry-After', String(Math.ceil(retryAfterSeconds)));
  if (problem.status === 401) setAnswerHeader(c, 'WWW-Authenticate', 'Bearer realm="holdfast"');
  return c.body(JSON.stringify(problem.body(c.get('requestId'))), problem.status as 500, {
    'Content-Type': 'application/problem+json',
  });
}

export const asProblem = (error: unknown) =>
  error instanceof Problem ? error : new Problem('internal', { cause: error });
