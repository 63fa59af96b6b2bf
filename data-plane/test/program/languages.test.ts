import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
});
afterAll(() => installation[Symbol.asyncDispose]());

const names = (languages: { name: string }[]) => languages.map(({ name }) => name);

test('lists the languages of a profile, and those that a live sandbox has', async () => {
  const offered = await holdfast.request('GET', '/v1/languages');
  expect([offered.status, offered.body.profile]).toEqual([200, 'default']);
  expect(offered.body.languages).toContainEqual({
    name: 'node',
    kernel: 'built-in',
    runsJobs: true,
    listsSymbols: true,
    takesStepEnv: true,
  });
  const { id } = await holdfast.createSession();
  const live = await holdfast.request('GET', `/v1/sessions/${id}/languages`);
  const contexts = offered.body.languages.filter(({ kernel }: { kernel: string | null }) => kernel !== null);
  expect(names(live.body.languages).sort()).toEqual(names(contexts).sort());
  expect((await holdfast.request('GET', '/v1/languages?profile=none')).status).toBe(404);
});

test('refuses a language that nothing has, wherever it is asked for, and names those that there are', async () => {
  const { id } = await holdfast.createSession();
  const language = 'no-such-language';
  const session = await holdfast.request('POST', '/v1/sessions', { language });
  const context = await holdfast.request('POST', `/v1/sessions/${id}/contexts`, { language });
  const step = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { language, code: '1' });
  for (const { status, body } of [session, context, step]) {
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'unsupported-by-runtime', '/language']);
    expect(body.detail).toContain('node');
  }
  const named = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { contextId: language, code: '1' });
  expect([named.status, named.body.errors[0].pointer]).toEqual([422, '/contextId']);
  const { body } = await holdfast.request('GET', `/v1/sessions/${id}/steps`);
  expect(body.items).toEqual([]);
});

test.each(['bun', 'ctx_x', '../up', 'A', ''])(
  'a name that no language of contexts can have is a fault: %j',
  async (language) => {
    const { status, body } = await holdfast.request('POST', '/v1/sessions', { language });
    expect([status, body.code]).toEqual([400, 'invalid-request']);
  },
);
