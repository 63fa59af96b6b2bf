import { agentStepSchema, encodeFrame } from '@holdfast/specs/agent';
import { invalidRequest, runStepSchema } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

const done = {
  contextEpoch: 1,
  executionCount: 1,
  durationMs: 1,
  stateSurvived: true,
  cause: null,
  status: 'succeeded' as const,
};
const olderSchema = agentStepSchema.omit({ silent: true, expressions: true });

test('a sandbox from before an upgrade runs steps, and lacks what is new', async () => {
  given.cluster.answering = (request, response) => {
    if (request.url !== '/v1/steps') return false;
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { error } = olderSchema.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
      if (error) {
        const problem = invalidRequest(error);
        response.writeHead(problem.status, { 'content-type': 'application/problem+json' });
        response.end(JSON.stringify(problem.body()));
        return;
      }
      response.write(encodeFrame('started', 1, { contextEpoch: 1, executionCount: 1 }));
      response.end(encodeFrame('done', 2, done));
    });
    return true;
  };
  const { verbs, caller, ...replica } = await given.replica([]);
  const { id: sessionId } = await replica.createSession();
  const run = (fields: object) =>
    verbs.runStep({ caller, sessionId, request: runStepSchema.parse({ code: '1', ...fields }) });
  await expect(run({ record: 'silent', expressions: { a: '1' } })).rejects.toMatchObject({
    slug: 'unsupported-by-runtime',
    options: { errors: [{ pointer: '/record' }, { pointer: '/expressions' }] },
  });
  expect(await run({ record: 'full' })).toMatchObject({ failure: null });
});
