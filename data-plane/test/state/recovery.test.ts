import type { Session, Snapshot } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { isSaved } from './is-saved.ts';
import { agentOf, killSandbox } from './kill-sandbox.ts';
import { pythonWithCloudpickle } from './python-with-cloudpickle.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({ HOLDFAST_PYTHON: await pythonWithCloudpickle(installation.dataDir) });
}, 120_000);

afterAll(() => installation[Symbol.asyncDispose]());

const read = async (id: string): Promise<Session> => (await holdfast.request('GET', `/v1/sessions/${id}`)).body;
const post = (id: string, rest: string, body?: object) => holdfast.request('POST', `/v1/sessions/${id}${rest}`, body);
const shown = async (id: string, code: string) => (await holdfast.runStep(id, { code })).results[0]?.data['text/plain'];

/** A second snapshot waits for fifty times as long as the first one took. */
const saved = (id: string) => eventually(async () => expect(await isSaved(installation, id)).toBe(true), 60_000);

/** A request that needs the sandbox makes the data-plane look for it at once. */
async function active(id: string, epoch: number): Promise<void> {
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    expect(await read(id)).toMatchObject({ status: 'active', epoch });
  }, 20_000);
}

async function ends(id: string, status: string): Promise<void> {
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    expect(await read(id)).toMatchObject({ status });
  }, 20_000);
}

test('a session that lost its sandbox has its files and its variables again, and says what it could not keep', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'open("kept.txt", "w").write("kept"); import json, socket' });
  await holdfast.runStep(id, { code: 'class A:\n  def get(self): return self.n\na = A(); a.n = 1; items = [a]' });
  await holdfast.runStep(id, { code: 's = socket.socket(); g = (i for i in items)' });
  const agent = await agentOf(holdfast, id);
  await saved(id);
  process.kill(agent, 'SIGKILL');
  await active(id, 2);
  const session = await read(id);
  expect(session).toMatchObject({ recovery: 'auto', lostReason: expect.stringMatching(/^sandbox_/) });
  const [context] = session.lastRecovery?.contexts ?? [];
  expect(context).toMatchObject({ contextId: 'python', replayed: [], stopped: null });
  expect(context?.lost.map(({ name }) => name).sort()).toEqual(['g', 's']);
  expect(context?.restored.sort()).toEqual(['A', 'a', 'items', 'json', 'os', 'socket']);
  const events = [];
  for await (const event of holdfast.streamStep(id, { code: '(items[0] is a, a.get(), open("kept.txt").read())' })) {
    events.push(event);
  }
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'state_reset', lost: expect.arrayContaining(['g', 's']), contextEpoch: 2 }),
  );
  expect(events.at(-1)).toMatchObject({
    step: { epoch: 2, contextEpoch: 2, results: [{ data: { 'text/plain': "(True, 1, 'kept')" } }] },
  });
});

test('a session has its state again after seconds in which no new sandbox could be bound', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'n = 1' });
  const agent = await agentOf(holdfast, id);
  await saved(id);
  const { sql } = installation.database.owner;
  await sql.unsafe(`alter table session_routes add constraint refused check (session_id <> '${id}') not valid`);
  process.kill(agent, 'SIGKILL');
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    expect((await read(id)).epoch).toBeGreaterThanOrEqual(3);
  }, 60_000);
  await new Promise((resolve) => setTimeout(resolve, 4000));
  await sql.unsafe('alter table session_routes drop constraint refused');
  await eventually(async () => expect(await read(id)).toMatchObject({ status: 'active' }), 60_000);
  expect(await shown(id, 'n')).toBe('1');
}, 240_000);

test('steps after the latest snapshot come back as definitions, or are reported', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'n = 1; items = []' });
  const agent = await agentOf(holdfast, id);
  await saved(id);
  await holdfast.runStep(id, { code: 'def f(): return n' });
  await holdfast.runStep(id, { code: 'n += 1', replay: true });
  await holdfast.runStep(id, { code: 'items.append(1)' });
  const running = holdfast.runStep(id, { code: 'import time; n = 7; time.sleep(60)' });
  await eventually(async () => expect((await holdfast.history(id)).at(-1)).toMatchObject({ status: 'running' }));
  process.kill(agent, 'SIGKILL');
  expect(await running).toMatchObject({ status: 'lost', cause: { code: expect.stringMatching(/^sandbox_/) } });
  await active(id, 2);
  const [context] = (await read(id)).lastRecovery?.contexts ?? [];
  expect(context?.lost.map(({ name }) => name)).toContain('n');
  expect(await shown(id, 'callable(f)')).toBe('True');
});

test('a session with manual recovery waits for its host', async () => {
  const { id } = await holdfast.createSession({ recovery: 'manual' });
  await holdfast.runStep(id, { code: 'def f(): return 1\nx = f()' });
  await killSandbox(holdfast, id);
  await ends(id, 'lost');
  expect((await post(id, '/steps', { code: '1' })).body).toMatchObject({ code: 'session-not-active', status: 409 });
  const recovered = await post(id, '/recover');
  expect(recovered).toMatchObject({ status: 200, body: { status: 'active', epoch: 2 } });
  expect(recovered.body.lastRecovery.contexts[0]).toMatchObject({
    replayed: ['f', 'os'],
    lost: [{ name: 'x', reason: expect.any(String) }],
  });
  expect(await shown(id, 'f()')).toBe('1');
});

test('the state of a lost kernel does not come back with the sandbox, if the session does not recover by itself', async () => {
  const { id } = await holdfast.createSession({ recovery: 'manual' });
  await holdfast.runStep(id, { code: 'x = 1\ndef f(): return x' });
  expect(await post(id, '/snapshots')).toMatchObject({ status: 201 });
  await holdfast.runStep(id, { code: 'import os; os.kill(os.getpid(), 9)' });
  await holdfast.runStep(id, { code: 'def g(): return 2' });
  await killSandbox(holdfast, id);
  await ends(id, 'lost');
  const { body } = await post(id, '/recover');
  expect(body.lastRecovery.contexts[0]).toMatchObject({ restored: [], replayed: ['g', 'os'] });
  expect(await shown(id, '("x" in globals(), "f" in globals(), g())')).toBe('(False, False, 2)');
});

test('a session without recovery fails', async () => {
  const { id } = await holdfast.createSession();
  await killSandbox(holdfast, id);
  await ends(id, 'failed');
});

test('a name that a recovery lost is in the next report, though the session was forked and paused before a step ran', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'x = 1; g = (i for i in [1])' });
  const agent = await agentOf(holdfast, id);
  await saved(id);
  process.kill(agent, 'SIGKILL');
  await active(id, 2);
  const lostG = { contexts: [{ lost: expect.arrayContaining([expect.objectContaining({ name: 'g' })]) }] };
  expect((await post(id, '/fork')).body.items[0].lastRecovery).toMatchObject(lostG);
  expect((await post(id, '/pause', { force: true })).body).toMatchObject({
    status: 'paused',
    notSaved: [{ name: 'g' }],
  });
  expect((await post(id, '/resume')).body.lastRecovery).toMatchObject(lostG);
  // The step announces it, and then it is told.
  expect(await shown(id, 'x')).toBe('1');
  expect((await post(id, '/pause')).body).toMatchObject({ status: 'paused', notSaved: [] });
}, 120_000);

test('a session can lose its sandbox again and again', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'n = 0' });
  for (const epoch of [2, 3, 4, 5]) {
    await holdfast.runStep(id, { code: 'n += 1' });
    const agent = await agentOf(holdfast, id);
    await saved(id);
    process.kill(agent, 'SIGKILL');
    await active(id, epoch);
    expect(await shown(id, 'n')).toBe(`${epoch - 1}`);
  }
}, 180_000);

test('a kernel that dies alone leaves its state to the next one', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'x = [1]; y = x' });
  await saved(id);
  const killed = await holdfast.runStep(id, { code: 'z = 2; import os; os.kill(os.getpid(), 9)' });
  expect(killed).toMatchObject({ status: 'failed', outcome: { stateSurvived: false } });
  expect(await shown(id, '(x, y is x)')).toBe('([1], True)');
  expect(await read(id)).toMatchObject({ status: 'active', epoch: 1 });
});

test('a restarted context stays empty, also after a recovery', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'x = 1' });
  await saved(id);
  expect((await post(id, '/contexts/python/restart')).status).toBe(200);
  await holdfast.runStep(id, { code: 'y = 2' });
  const agent = await agentOf(holdfast, id);
  await saved(id);
  process.kill(agent, 'SIGKILL');
  await active(id, 2);
  expect(await shown(id, '("x" in globals(), y)')).toBe('(False, 2)');
}, 150_000);

test('a snapshot on request can be restored, and starts other sessions', async () => {
  const { id } = await holdfast.createSession();
  expect(await post(id, '/snapshots')).toMatchObject({ status: 422, body: { code: 'snapshot-refused' } });
  await holdfast.runStep(id, { code: 'x = 1\ndef f(): return x' });
  const { status, body } = await post(id, '/snapshots');
  expect(status).toBe(201);
  const snapshot: Snapshot = body;
  expect(snapshot.saved.map(({ name }) => name).sort()).toEqual(['f', 'x']);
  await holdfast.runStep(id, { code: 'x = 2' });
  const restored = await post(id, '/restore', { snapshotId: snapshot.id });
  expect(restored).toMatchObject({ status: 200, body: { contextId: 'python', lost: [], contextEpoch: 2 } });
  expect(await shown(id, 'f()')).toBe('1');
  const [first, second] = await Promise.all([1, 2].map(() => holdfast.createSession({ fromSnapshot: snapshot.id })));
  if (!first || !second) throw new Error('no sessions');
  await holdfast.runStep(first.id, { code: 'x = 10' });
  expect([await shown(first.id, 'f()'), await shown(second.id, 'f()')]).toEqual(['10', '1']);
  expect((await holdfast.request('GET', `/v1/sessions/${id}/snapshots`)).body.items).toMatchObject([
    { id: snapshot.id },
  ]);
});

test('a snapshot of another language or of an unknown id is refused', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'x = 1' });
  const snapshot: Snapshot = (await post(id, '/snapshots')).body;
  const refused = await holdfast.request('POST', '/v1/sessions', { language: 'node', fromSnapshot: snapshot.id });
  expect(refused).toMatchObject({ status: 422, body: { code: 'snapshot-refused' } });
  const unknown = `snp_${'0'.repeat(26)}`;
  expect(await post(id, '/restore', { snapshotId: unknown })).toMatchObject({
    status: 422,
    body: { code: 'snapshot-refused' },
  });
});
