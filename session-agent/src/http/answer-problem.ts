import { Problem } from '@holdfast/specs/public';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** The one place where an error becomes an answer. What is no Problem goes to the log and tells the caller nothing. */
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
