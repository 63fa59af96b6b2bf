import { Problem } from '@holdfast/specs/public';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** Turns errors into answers, for the whole app. An error that is not a Problem goes to the log; the caller learns nothing about it. */
export function answerProblem(log: (message: string, error: unknown) => void) {
  return function problemAnswer(error: unknown, c: Context): Response {
    const problem = error instanceof Problem ? error : new Problem('internal');
    if (problem !== error) log(`${c.req.method} ${c.req.path} failed`, error);
    const { retryAfterSeconds } = problem.options;
    return c.body(JSON.stringify(problem.body()), problem.status as ContentfulStatusCode, {
      'content-type': 'application/problem+json',
      ...(problem.slug === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    });
  };
}
