import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import { Problem, type ProblemSlug, problemSchema, problems } from '../../public/values/problems.ts';

/** Problems as answers by status, with an example for each slug. 503 says how long to wait before a retry. */
export function problemAnswers(slugs: readonly ProblemSlug[]): RouteConfig['responses'] {
  const byStatus = Map.groupBy(new Set(slugs), (slug) => problems[slug].status);
  return Object.fromEntries([...byStatus].map(([status, group]) => [status, problemAnswer(status, group)]));
}

const problemAnswer = (status: number, slugs: readonly ProblemSlug[]) => ({
  description: slugs.map((slug) => `\`${slug}\`: ${problems[slug].title}`).join('; '),
  ...(status === 503 && { headers: retryAfter }),
  content: {
    'application/problem+json': {
      schema: problemSchema,
      examples: Object.fromEntries(slugs.map((slug) => [slug, { value: new Problem(slug).body() }])),
    },
  },
});

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before the next attempt', schema: { type: 'integer' as const } },
};
