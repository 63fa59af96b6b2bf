import { Problem } from '@holdfast/specs/public';
import type { Context } from 'hono';
import { PlainResponse } from './plain-response.ts';

type Log = (message: string, error: unknown) => void;

/** Turns errors into answers, for the whole app. */
export function answerProblem(log: Log) {
  return function answer(error: unknown, c: Context): Response {
    return problemAnswer(error, { log, operation: `${c.req.method} ${c.req.path}` }) as unknown as Response;
  };
}

/** The answer to an error. One that is not a Problem goes to the log; the caller learns nothing about it. */
export function problemAnswer(error: unknown, { log, operation }: { log: Log; operation: string }): PlainResponse {
  const problem = error instanceof Problem ? error : new Problem('internal');
  if (problem !== error) log(`${operation} failed`, error);
  const { retryAfterSeconds } = problem.options;
  return new PlainResponse(JSON.stringify(problem.body()), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(problem.slug === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
  });
}
