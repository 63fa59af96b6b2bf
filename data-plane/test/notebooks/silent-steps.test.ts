import type { Session } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killSandbox } from '../state/kill-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
}, 60_000);
afterAll(() => installation[Symbol.asyncDispose]());

const silent = (sessionId: string, code: string, more: object = {}) =>
  holdfast.runStep(sessionId, { code, record: 'silent', ...more });
const get = async (sessionId: string, rest: string) =>
  (await holdfast.request('GET', `/v1/sessions/${sessionId}${rest}`)).body;
const shown = async (sessionId: string, code: string) =>
  (await holdfast.runStep(sessionId, { code })).results[0]?.data['text/plain'];

test('a silent step is answered and read by its id, but has no count and is in no list, context or export', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'x = 1' });
  const step = await silent(id, 'x + 41');
  expect(step).toMatchObject({ record: 'silent', status: 'succeeded', executionCount: null, contextEpoch: 1 });
  expect(step.results[0]?.data).toEqual({ 'text/plain': '42' });
  expect(await get(id, `/steps/${step.id}`)).toEqual(step);
  const next = await holdfast.runStep(id, { code: 'x' });
  expect(next).not.toHaveProperty('record');
  expect(next).toMatchObject({ executionCount: 2, number: 3 });
  const listed = async (query: string) =>
    (await get(id, `/steps${query}`)).items.map(({ code }: { code: string }) => code);
  expect([await listed(''), await listed('?order=desc&limit=2')]).toEqual([
    ['x = 1', 'x'],
    ['x', 'x = 1'],
  ]);
  const { contexts } = await get(id, '/context');
  expect(contexts[0].combinedCode).not.toContain('x + 41');
  for (const format of ['ipynb', 'json', 'script']) {
    const exported = await (await fetch(`${holdfast.url}/v1/sessions/${id}/export?format=${format}`)).text();
    expect(exported).toContain('x = 1');
    expect(exported).not.toContain('x + 41');
  }
});

test('the histories of Python and Node do not have a silent step, with IPython and before it is loaded', async () => {
  const { id } = await holdfast.createSession();
  const histories = '(_, In[1:], dict(Out))';
  await holdfast.runStep(id, { code: '7' });
  await silent(id, '"hidden"');
  expect(await shown(id, histories)).toBe(`(7, ['7', '${histories}'], {1: 7})`);
  await holdfast.runStep(id, { code: '%history' });
  await silent(id, '%time "hidden"');
  const { stdout } = await holdfast.runStep(id, { code: '%history' });
  expect(stdout).not.toContain('hidden');
  expect(await shown(id, 'get_ipython().execution_count - 1 == len(In) - 1 == 5')).toBe('True');
  await holdfast.runStep(id, { language: 'node', code: '7' });
  await silent(id, '"hidden"', { language: 'node' });
  await silent(id, 'throw new Error("hidden")', { language: 'node' });
  const { results } = await holdfast.runStep(id, { language: 'node', code: '[_, _error]' });
  expect(results[0]?.data['text/plain']).toBe('[ 7, undefined ]');
});

test('a silent step is audited, charged and runs once with an Idempotency-Key', async () => {
  const { id } = await holdfast.createSession({ budget: { iterations: 2 } });
  const body = { code: 'n = globals().get("n", 0) + 1; n', record: 'silent' };
  const send = () => holdfast.request('POST', `/v1/sessions/${id}/steps`, body, { 'Idempotency-Key': 'once' });
  const [first, second] = [await send(), await send()];
  expect(second.body).toEqual(first.body);
  expect(first.body.budgetRemaining.iterations).toBe(1);
  const { items } = await get(id, '/audit?operation=step.run');
  expect(items).toMatchObject([{ stepId: first.body.id, decision: 'allowed' }]);
  await silent(id, '1');
  const refused = await holdfast.request('POST', `/v1/sessions/${id}/steps`, body);
  expect([refused.status, refused.body.code]).toEqual([429, 'budget-exceeded']);
  expect((await get(id, '/steps')).items).toEqual([]);
});

/** A request that needs the sandbox makes the data-plane look for it at once. */
async function recovered(id: string): Promise<Session> {
  return await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    const session = await get(id, '');
    expect(session).toMatchObject({ status: 'active', epoch: 2 });
    return session;
  }, 30_000);
}

test('a recovery runs no silent step again and restores no value that one after the snapshot may have changed', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'saved = [1]; changed = [1]' });
  // More of them than of other steps, so that one count cannot stand for the other.
  await silent(id, 'saved.append(2)');
  await silent(id, 'saved.append(3)');
  expect((await holdfast.request('POST', `/v1/sessions/${id}/snapshots`)).status).toBe(201);
  const { sql } = installation.database.owner;
  // No snapshot follows that would have the rest.
  await sql`create function refuse_snapshot() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`;
  await sql`create trigger refuse before insert on snapshots for each row execute function refuse_snapshot()`;
  await silent(id, 'changed.append(2)\ndef hidden(): return 1');
  await holdfast.runStep(id, { code: 'later = 5' });
  await killSandbox(holdfast, id);
  const session = await recovered(id);
  await sql`drop trigger refuse on snapshots`;
  const [context] = session.lastRecovery?.contexts ?? [];
  expect(context?.lost.map(({ name }) => name)).toEqual(expect.arrayContaining(['changed']));
  expect(await shown(id, '(saved, later, "changed" in globals(), "hidden" in globals())')).toBe(
    '([1, 2, 3], 5, False, False)',
  );
});
