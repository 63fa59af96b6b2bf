import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@holdfast/specs/public';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StepReport } from '../support/agent-client.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { manifestOf } from '../support/state.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
let tmp: string;
beforeEach(async () => {
  tmp = mkdtempSync(join(tmpdir(), 'holdfast-state-test-'));
  agent = await startAgent({ TMPDIR: tmp });
  await agent.call('PUT', '/v1/session', { language: 'python', env: {}, keepsState: true });
});
afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  rmSync(tmp, { recursive: true, force: true });
});

const die = 'import os; os.kill(os.getpid(), 9)';
const limits = { bytesMax: 2 ** 30, timeoutMs: 20_000 };

const save = () => agent.send('POST', '/v1/contexts/python/snapshot', limits);

async function saved(): Promise<Buffer<ArrayBuffer>> {
  const response = await save();
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const put = (archive: Buffer<ArrayBuffer>, by = '') =>
  fetch(`${agent.url}/v1/contexts/python/archive?for=${by}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/octet-stream' },
    body: archive,
  });

type Later = { code: string; replay?: boolean };

const recover = ({ hasArchive = false, steps = [] as Later[], language = 'python', by = '' } = {}) =>
  agent.call('POST', `/v1/contexts/${language}/recover?for=${by}`, {
    language,
    env: {},
    hasArchive,
    steps: steps.map((step) => ({ stepId: newId('stp'), status: 'succeeded', replay: false, ...step })),
    timeoutMs: 20_000,
  });

const resets = ({ frames }: StepReport) => frames.filter(({ type }) => type === 'state_reset').map(({ json }) => json);

const archives = () => readdirSync(tmp).filter((name) => name.startsWith('holdfast-state-'));

test('a step that ran before a snapshot is not replayed after it, though another kernel counted it', async () => {
  await agent.run({ code: 'n = 99' });
  await saved();
  await agent.run({ code: 'n += 1', replay: true });
  await agent.run({ code: die });
  expect((await agent.run({ code: 'n' })).value).toBe('100');
  await saved();
  await agent.run({ code: die });
  expect((await agent.run({ code: 'n' })).value).toBe('100');
});

test('a kernel that dies announces the state of the next one once, in the step that finds it', async () => {
  await agent.run({ code: 'import os; kept = [1]' });
  await saved();
  const killing = await agent.run({ code: 'os.kill(os.getpid(), 9)' });
  expect([killing.done.stateSurvived, resets(killing)]).toEqual([false, []]);
  const next = await agent.run({ code: 'kept' });
  expect([next.value, resets(next)]).toMatchObject(['[1]', [{ contextEpoch: 2, lost: [] }]]);
  expect(resets(await agent.run({ code: 'kept' }))).toEqual([]);
});

/** It runs to its end the first time in a workspace, and ends the kernel each time after that. */
const dieIfRepeated = `import os
if os.path.exists('ran'): os.kill(os.getpid(), 9)
open('ran', 'w').close()`;

test('a recovery that ends the kernel is not tried again, and leaves an empty state that can be saved', async () => {
  await agent.run({ code: 'kept = 1' });
  await saved();
  await agent.run({ code: dieIfRepeated, replay: true });
  await agent.run({ code: die });
  const next = await agent.run({ code: '"kept" in dir()' });
  expect([next.value, resets(next)]).toMatchObject(['False', [{ lost: ['*'] }]]);
  expect(resets(next)[0]?.reasons).toEqual([expect.stringMatching(/^the recovery failed: /)]);
  await agent.run({ code: die });
  const last = await agent.run({ code: '"kept" in dir()' });
  expect([last.value, resets(last)]).toMatchObject(['False', [{ restored: [] }]]);
});

test('after a recovery that failed, a snapshot has nothing, and names all as lost', async () => {
  await agent.run({ code: 'kept = 1' });
  await saved();
  await agent.run({ code: dieIfRepeated, replay: true });
  await agent.run({ code: die });
  await until(
    'the next kernel',
    async () => (await agent.call('GET', '/v1/contexts')).body.contexts[0].state === 'idle',
  );
  const archive = await saved();
  expect(manifestOf(archive)).toMatchObject({
    saved: [],
    notSaved: [{ name: '*', reason: expect.stringMatching(/^the recovery failed: /) }],
  });
});

test('a step that comes during a recovery waits for it, and announces it', async () => {
  await agent.run({ code: 'kept = [1]' });
  await put(await saved());
  const slow = { code: 'import time; time.sleep(0.5); extra = 2', replay: true };
  const recovering = recover({ hasArchive: true, steps: [slow] });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const step = await agent.run({ code: 'kept, extra' });
  expect(step.value).toBe('([1], 2)');
  expect(resets(step)).toMatchObject([{ restored: ['kept'], replayed: expect.arrayContaining(['extra']) }]);
  expect((await recovering).status).toBe(200);
});

test('a context recovers, is saved and runs steps one after the other', async () => {
  const slow = { code: 'import time; time.sleep(0.5)', replay: true };
  const both = await Promise.all([recover({ steps: [slow] }), recover({ steps: [slow] })]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const recovering = recover({ steps: [slow] });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await save()).status).toBe(409);
  await recovering;
  const running = agent.run({ code: 'import time; time.sleep(0.5)' });
  await until(
    'the step to run',
    async () => (await agent.call('GET', '/v1/contexts')).body.contexts[0].state === 'busy',
  );
  expect((await save()).status).toBe(409);
  expect((await recover()).status).toBe(409);
  await running;
});

test('a snapshot and a recovery wait for the snapshot that is under way', async () => {
  await agent.run({
    code: 'import time\nclass Slow:\n  def __reduce__(self): time.sleep(0.5); return (int, ())\nslow = Slow()',
  });
  const both = await Promise.all([save(), save()]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  const [archives, recovered] = await Promise.all([save(), recover()]);
  expect([archives.status, recovered.status]).toEqual([200, 200]);
  expect((await agent.run({ code: '"slow" in globals()' })).value).toBe('False');
});

test('a damaged archive and one of another language are refused, and the context keeps its state', async () => {
  await agent.run({ code: 'kept = 1' });
  const archive = await saved();
  const foreign = Buffer.from(archive.toString('latin1').replace('"python"', '"pythoo"'), 'latin1');
  for (const broken of [Buffer.from('rubbish'), archive.subarray(0, -100), archive.subarray(-50)]) {
    expect((await put(Buffer.from(broken))).status).toBe(400);
  }
  expect((await put(foreign)).status).toBe(204);
  expect((await recover({ hasArchive: true })).status).toBe(400);
  expect((await agent.run({ code: 'kept' })).value).toBe('1');
  await put(archive);
  expect((await recover({ hasArchive: true })).body).toMatchObject({ restored: ['kept'] });
  expect((await recover({ hasArchive: true })).status).toBe(409);
});

test('a recovery loads the archive that was uploaded for it, and no other one', async () => {
  const archives: Buffer<ArrayBuffer>[] = [];
  for (const n of [1, 2]) {
    await agent.run({ code: `n = ${n}` });
    archives.push(await saved());
  }
  const [first, second] = archives as [Buffer<ArrayBuffer>, Buffer<ArrayBuffer>];
  await put(first, 'first');
  await put(second, 'second');
  expect(await recover({ hasArchive: true, by: 'first' })).toMatchObject({
    status: 409,
    body: { code: 'context-busy' },
  });
  expect((await recover({ hasArchive: true, by: 'second' })).status).toBe(200);
  expect((await agent.run({ code: 'n' })).value).toBe('2');
});

test('an archive that is uploaded during a recovery does not end it', async () => {
  await agent.run({ code: 'n = 1' });
  const archive = await saved();
  await put(archive, 'first');
  const slow = { code: 'import time; time.sleep(0.5)', replay: true };
  const recovering = recover({ hasArchive: true, by: 'first', steps: [slow] });
  // The kernel that is to load the first archive is still starting.
  expect((await put(archive, 'second')).status).toBe(204);
  expect((await recovering).body).toMatchObject({ restored: ['n'] });
  expect((await recover({ hasArchive: true, by: 'second' })).body).toMatchObject({ restored: ['n'] });
});

test('a context whose recovery fails has its earlier state again', async () => {
  await agent.run({ code: 'kept = [1]' });
  await saved();
  expect(await recover({ steps: [{ code: die, replay: true }] })).toMatchObject({ status: 502 });
  const step = await agent.run({ code: 'kept' });
  expect([step.value, resets(step)]).toMatchObject(['[1]', [{ restored: ['kept'] }]]);
});

test('a context has its earlier state again if no kernel could start for another one', async () => {
  const folder = join(agent.workspace, 'folder');
  const contextId = newId('ctx');
  mkdirSync(folder);
  await agent.call('POST', '/v1/contexts', { contextId, language: 'python', cwd: 'folder', env: {} });
  await agent.run({ contextId, code: 'kept = [1]' });
  expect((await agent.send('POST', `/v1/contexts/${contextId}/snapshot`, limits)).status).toBe(200);
  rmSync(folder, { recursive: true });
  const wanted = { language: 'python', cwd: 'folder', env: {}, hasArchive: false, steps: [], timeoutMs: 20_000 };
  expect(await agent.call('POST', `/v1/contexts/${contextId}/recover`, wanted)).toMatchObject({ status: 502 });
  mkdirSync(folder);
  expect((await agent.run({ contextId, code: 'kept' })).value).toBe('[1]');
});

test('an archive that was not loaded stays for the next try', async () => {
  await agent.run({ code: 'kept = 1' });
  await put(await saved());
  const running = agent.run({ code: 'import time; time.sleep(0.3)' });
  await until(
    'the step to run',
    async () => (await agent.call('GET', '/v1/contexts')).body.contexts[0].state === 'busy',
  );
  expect((await recover({ hasArchive: true })).status).toBe(409);
  await running;
  expect((await recover({ hasArchive: true })).status).toBe(200);
});

test('a kernel that is killed while it is saved ends the snapshot, and the next step runs', async () => {
  await agent.run({ code: 'import os; big = [os.urandom(1000) for _ in range(100_000)]; print(os.getpid())' });
  const pid = Number((await agent.run({ code: 'import os; print(os.getpid())' })).stdout);
  const saving = save().then(async (response) => [response.status, (await response.arrayBuffer()).byteLength]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.kill(pid, 'SIGKILL');
  const [status] = await saving;
  expect([200, 502]).toContain(status);
  expect((await agent.run({ code: '1 + 1' })).value).toBe('2');
});

test('steps run while a client does not read its archive', async () => {
  await agent.run({ code: 'import os; big = os.urandom(50_000_000)' });
  const unread = await save();
  expect((await agent.run({ code: 'len(big)' })).value).toBe('50000000');
  expect((await saved()).byteLength).toBeGreaterThan(50_000_000);
  await unread.body?.cancel();
});

test('a language that cannot save its state begins anew, as its report says', async () => {
  await agent.run({ contextId: 'ruby', code: '$old = 1' });
  const { body } = await recover({ language: 'ruby', steps: [{ code: '$old = 1' }] });
  expect(body).toMatchObject({ contextEpoch: 2, lost: [{ name: '*' }] });
  const step = await agent.run({ contextId: 'ruby', code: '$old.inspect' });
  expect(resets(step)).toMatchObject([{ contextEpoch: 2, lost: ['*'] }]);
});

test('a language that cannot save its state runs its steps again if all of them may', async () => {
  const steps = [
    { code: 'count = 1', replay: true },
    { code: 'puts "shown once"; count += 1', replay: true },
  ];
  expect((await recover({ language: 'ruby', steps })).body).toMatchObject({ replayed: ['count'], lost: [] });
  const step = await agent.run({ contextId: 'ruby', code: 'puts count' });
  expect([step.stdout, resets(step)]).toMatchObject(['2\n', [{ replayed: ['count'] }]]);
  const differs = await recover({ language: 'ruby', steps: [...steps, { code: 'raise "no"', replay: true }] });
  expect(differs.body).toMatchObject({ replayed: [], lost: [{ name: '*' }], stopped: { reason: expect.any(String) } });
  expect((await agent.run({ contextId: 'ruby', code: 'puts defined?(count).inspect' })).stdout).toBe('nil\n');
});

test('one archive is kept for each context, and none without it', async () => {
  await agent.run({ code: 'kept = 1' });
  for (let n = 0; n < 3; n += 1) await saved();
  expect(archives()).toHaveLength(1);
  await put(await saved());
  expect(archives()).toHaveLength(2);
  await recover({ hasArchive: true });
  expect(archives()).toHaveLength(1);
  await agent.call('DELETE', '/v1/contexts/python');
  expect(archives()).toEqual([]);
});

test('an agent that is told to stop runs nothing more, and can be saved for a while', async () => {
  await using leaving = await startAgent({ TMPDIR: tmp, HOLDFAST_AGENT_SAVING_SECONDS: '2' });
  await leaving.call('PUT', '/v1/session', { language: 'python', env: {}, keepsState: true });
  await leaving.run({ code: 'kept = 1' });
  const begun = join(tmp, 'begun');
  const running = leaving.run({ code: `late = 2\nimport time; open('${begun}', 'w').close(); time.sleep(60)` });
  await until('the step to have set its names', () => existsSync(begun));
  leaving.signal('SIGTERM');
  expect((await running).done).toMatchObject({ status: 'interrupted', cause: { code: 'session_ended' } });
  const response = await leaving.send('POST', '/v1/contexts/python/snapshot', limits);
  const names = manifestOf(Buffer.from(await response.arrayBuffer())).saved.map(({ name }) => name);
  expect(names.sort()).toEqual(['kept', 'late', 'time']);
  await expect(leaving.run({ code: '1' })).rejects.toThrow('session-ended');
  expect(await leaving.exited).toEqual({ code: 0, signal: null });
});

/** A value whose loading runs this code. */
const loadedBy = (body: string) => `def wake():
  import os, signal, time
  ${body}
class H:
  def __reduce__(self): return (wake, ())
bad = H()`;

test.each([
  ['ends the kernel', 'os._exit(1)', 'loading it ended the kernel'],
  ['kills the kernel', 'os.kill(os.getpid(), signal.SIGSEGV)', 'loading it ended the kernel'],
  ['hangs', 'time.sleep(1000)', 'it took too long'],
])('a value that %s while it is loaded loses only itself', { timeout: 60_000 }, async (_, body, reason) => {
  await agent.run({ code: 'kept = [1]; also = kept' });
  expect(await agent.run({ code: loadedBy(body) })).toMatchObject({ done: { status: 'succeeded' } });
  expect((await put(await saved())).status).toBe(204);
  const { status, body: report } = await recover({ hasArchive: true });
  expect([status, report.restored]).toEqual([200, ['kept', 'also', 'H']]);
  expect(report.lost.map(({ name }: { name: string }) => name).sort()).toEqual(['bad', 'wake']);
  expect(report.lost[0].reason).toContain(reason);
  expect(await agent.run({ code: 'print(kept is also)' })).toMatchObject({ stdout: 'True\n' });
  expect(archives()).toHaveLength(1);
});

test('two values that end the kernel while they are loaded lose only themselves', { timeout: 60_000 }, async () => {
  await agent.run({ code: 'kept = 1' });
  await agent.run({ code: loadedBy('os._exit(1)') });
  await agent.run({ code: loadedBy('os._exit(2)').replaceAll('wake', 'other').replace('bad', 'worse') });
  expect((await put(await saved())).status).toBe(204);
  const { status, body: report } = await recover({ hasArchive: true });
  expect([status, report.restored.includes('kept')]).toEqual([200, true]);
  expect(report.lost.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['bad', 'worse']));
});
