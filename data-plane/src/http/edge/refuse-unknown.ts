import { Problem } from '@holdfast/specs/public';
import type { NotFoundHandler } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { answerProblem } from './answer-problem.ts';
import type { EdgeApp, EdgeEnv } from './edge.ts';
import { setAnswerHeader } from './edge.ts';

/** Answers a request that no operation serves: 405 with `Allow` if the path is known (RFC 9110, 15.5.6), else 404. */
export function refuseUnknown(app: EdgeApp): NotFoundHandler<EdgeEnv> {
  const known = new TrieRouter<string>();
  for (const { method, path } of app.routes) {
    if (method !== 'ALL') known.add('ALL', path, method);
  }
  return function refuse(c) {
    const methods = new Set(known.match('ALL', c.req.path)[0].map(([method]) => method));
    if (methods.size === 0) return answerProblem(new Problem('not-found', { detail: 'no operation has this path' }), c);
    if (methods.has('GET')) methods.add('HEAD');
    const allow = [...methods].sort().join(', ');
    setAnswerHeader(c, 'Allow', allow);
    return answerProblem(new Problem('method-not-allowed', { detail: `this path supports ${allow}` }), c);
  };
}
