import { type Job, type ProblemBody, type RunJob, stepEventSchema } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { Verbs } from '../../src/http/v1/verbs.ts';
import { eventually } from '../support/eventually.ts';
import { openStream } from './open-stream.ts';
import { asJson, scriptedApp } from './scripted-app.ts';
import { scriptedStep } from './scripted-step.ts';
import { sessionId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const body = JSON.stringify({ language: 'bash', code: 'exit 3', args: ['a'] });
const run = { method: 'POST', body, headers: asJson };

/** A job that is what its client runs; `viewed` is what was asked of its view. */
async function servedJob() {
  const step = scriptedStep(sessionId);
  const asked: RunJob[] = [];
  const viewed: object[] = [];
  const runJob: Verbs['runJob'] = async ({ request }) => {
    asked.push(request);
    return step;
  };
  const signJobUrls: Verbs['signJobUrls'] = async ({ step: { id }, ...how }) => {
    viewed.push(how);
    return { id, exitCode: 3 } as Job;
  };
  const served = await servedApp({ runJob, signJobUrls });
  return { step, asked, viewed, ...served };
}

test('the answer comes once the job has ended, as a job and not as a step, and says where the step is', async () => {
  const { step, asked, viewed, url } = await servedJob();
  const answering = fetch(`${url}/v1/run?inline=true&signedSeconds=60`, run);
  await eventually(() => expect(step.subscribers).toBe(1));
  step.finish();
  const answer = await answering;
  expect([answer.status, await answer.json()]).toEqual([200, { id: step.id, exitCode: 3 }]);
  expect(answer.headers.get('content-location')).toBe(`/v1/sessions/${sessionId}/steps/${step.id}`);
  expect(viewed).toMatchObject([{ inline: true, signedSeconds: 60, caller: { keyId: 'key_run' } }]);
  expect(asked).toMatchObject([{ language: 'bash', args: ['a'], stdin: '' }]);
});

test('events are those of a step, as they come', async () => {
  const { step, viewed, url } = await servedJob();
  const stream = await openStream(`${url}/v1/run`, { ...run, headers: { ...asJson, Accept: 'application/x-ndjson' } });
  step.add('stdout', Buffer.from('first'));
  await eventually(() => expect(stream.lines()).toHaveLength(1));
  expect(stream.ended).toBe(false);
  step.finish();
  await eventually(() => expect(stream.ended).toBe(true));
  expect(stream.lines().map((event) => stepEventSchema.parse(event).type)).toEqual(['stdout', 'finished']);
  expect(viewed).toEqual([]);
});

test('a job goes on when its client goes away', async () => {
  const { step, url } = await servedJob();
  const leaving = new AbortController();
  const answering = fetch(`${url}/v1/run`, { ...run, signal: leaving.signal }).catch(() => 'left');
  await eventually(() => expect(step.subscribers).toBe(1));
  leaving.abort();
  expect(await answering).toBe('left');
  await eventually(() => expect(step.subscribers).toBe(0));
  expect(step.finished).toBeNull();
});

test.each([
  ['no body', '', {}, ['']],
  ['rubbish', '{"language"', {}, ['']],
  ['a language without an interpreter for files', JSON.stringify({ language: 'ruby', code: '' }), {}, ['/language']],
  ['missing fields', '{}', {}, ['/language', '/code']],
  ['an unknown field', JSON.stringify({ language: 'bash', code: '', contextId: 'python' }), {}, ['/contextId']],
  [
    'several faults',
    JSON.stringify({ language: 'bash', code: 1, args: [1], files: { '../a': '' } }),
    {},
    ['/code', '/files/..~1a', '/args/0'],
  ],
  [
    'a query that means nothing',
    body,
    { inline: 'yes', signedSeconds: '0', wait: '1' },
    ['query/inline', 'query/signedSeconds', 'query/wait'],
  ],
])('%s is refused before anything runs, every fault by its place', async (_, given, query, pointers) => {
  const { app, surprises } = scriptedApp({});
  const answer = await app.request(`/v1/run?${new URLSearchParams(query)}`, { ...run, body: given });
  expect(answer.status).toBe(400);
  const { errors } = (await answer.json()) as ProblemBody;
  expect(errors?.map(({ pointer }) => pointer)).toEqual(pointers);
  expect(surprises).toEqual([]);
});
