import type { PausedSession, Session } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { agentOf } from './kill-sandbox.ts';
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a paused session has no sandbox, and is as it was when it is resumed', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, {
    code: 'import json\nclass A: pass\na = A(); items = [a]; open("kept.txt", "w").write("1")',
  });
  const agent = await agentOf(holdfast, id);
  expect(await post(id, '/pause')).toMatchObject({ status: 200, body: { status: 'paused', notSaved: [] } });
  await eventually(async () => expect(isAlive(agent)).toBe(false));
  expect(await post(id, '/pause')).toMatchObject({ status: 200, body: { status: 'paused' } });
  expect(await post(id, '/steps', { code: '1' })).toMatchObject({ status: 409, body: { code: 'session-paused' } });
  const resumed = await post(id, '/resume');
  expect(resumed).toMatchObject({ status: 200, body: { status: 'active', epoch: 2, lostReason: null } });
  expect(resumed.body.lastRecovery.contexts).toMatchObject([{ contextId: 'python', replayed: [], lost: [] }]);
  expect(await shown(id, '(items[0] is a, open("kept.txt").read(), json.dumps(1))')).toBe("(True, '1', '1')");
  expect((await post(id, '/resume')).body).toMatchObject({ status: 'active', epoch: 2 });
});

test('a step can resume its session, also many at once', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'n = 0' });
  await post(id, '/pause');
  const steps = await Promise.all(
    Array.from({ length: 5 }, () => holdfast.runStep(id, { code: 'n += 1', resume: true })),
  );
  expect(steps.map(({ status }) => status)).toEqual(Array(5).fill('succeeded'));
  expect(await shown(id, 'n')).toBe('5');
  expect(await read(id)).toMatchObject({ status: 'active', epoch: 2 });
});

test('if a name or a file cannot be saved, a pause says so and changes nothing, unless it is forced', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'import socket; s = socket.socket(); g = (i for i in []); kept = 1' });
  const refused = await post(id, '/pause');
  expect(refused).toMatchObject({ status: 409, body: { code: 'state-not-saved' } });
  const pointers = refused.body.errors.map(({ pointer }: { pointer: string }) => pointer);
  expect(pointers.sort()).toEqual(['contexts/python/g', 'contexts/python/s']);
  expect(await shown(id, '(s.fileno() > 0, kept)')).toBe('(True, 1)');
  const { body }: { body: PausedSession } = await post(id, '/pause', { force: true });
  expect(body.notSaved.map(({ name }) => name).sort()).toEqual(['g', 's']);
  await post(id, '/resume');
  expect(await shown(id, '(kept, "s" in globals(), "g" in globals())')).toBe('(1, False, False)');
});

test('a context that was restarted stays empty, also after a pause', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'x = 1' });
  expect(await post(id, '/snapshots')).toMatchObject({ status: 201 });
  expect(await post(id, '/contexts/python/restart')).toMatchObject({ status: 200 });
  expect(await post(id, '/pause')).toMatchObject({ status: 200 });
  expect(await post(id, '/resume')).toMatchObject({ status: 200 });
  expect(await shown(id, '"x" in globals()')).toBe('False');
});

test('a session is not paused while a step runs', async () => {
  const { id } = await holdfast.createSession();
  const running = holdfast.runStep(id, { code: 'import time; time.sleep(1)' });
  await eventually(async () => expect((await holdfast.history(id)).at(-1)).toMatchObject({ status: 'running' }));
  expect(await post(id, '/pause')).toMatchObject({ status: 409, body: { code: 'context-busy' } });
  expect(await running).toMatchObject({ status: 'succeeded' });
  expect(await read(id)).toMatchObject({ status: 'active' });
});

test('a context that cannot be saved is not paused without force', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: '$x = 1', language: 'ruby' });
  expect(await post(id, '/pause')).toMatchObject({
    status: 409,
    body: { errors: [{ pointer: 'contexts/ruby/*', detail: expect.any(String) }] },
  });
});

test('files that no step reported are saved, and files beyond a limit are named', async () => {
  const { id } = await holdfast.createSession();
  const write = 'open("late.txt", "w").write("late")';
  await holdfast.runStep(id, {
    code: `import subprocess, sys\nsubprocess.Popen([sys.executable, "-c", 'import time; time.sleep(1); ${write}'])\nNone`,
  });
  await eventually(async () => expect(await shown(id, 'import os; os.path.exists("late.txt")')).toBe('True'));
  expect(await post(id, '/pause', { force: true })).toMatchObject({ status: 200 });
  await post(id, '/resume');
  expect(await shown(id, 'open("late.txt").read()')).toBe("'late'");
});

test('a pause names special files, and links whose targets are not text, which it cannot save', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, {
    code: 'import os; open("run.sh", "w").close(); os.symlink("run.sh", "kept"); os.symlink(b"\\xff", "link"); os.mkfifo("pipe")',
  });
  const answer = await post(id, '/pause');
  expect(answer.status).toBe(409);
  expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
    'files/link',
    'files/pipe',
  ]);
  expect(await post(id, '/pause', { force: true })).toMatchObject({
    status: 200,
    body: {
      notSaved: expect.arrayContaining([
        { contextId: null, name: 'link', reason: 'the target of the link is not text' },
      ]),
    },
  });
  await post(id, '/resume');
  expect(await shown(id, 'os.readlink("kept")')).toBe("'run.sh'");
});

test('an idle session is paused if it was created so', async () => {
  const { id } = await holdfast.createSession({ idleTimeoutSeconds: 1, onIdle: 'pause' });
  await holdfast.runStep(id, { code: 'import socket; s = socket.socket(); kept = 1' });
  await eventually(async () => expect(await read(id)).toMatchObject({ status: 'paused' }), 30_000);
  expect((await holdfast.runStep(id, { code: 'kept', resume: true })).results[0]?.data['text/plain']).toBe('1');
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}, 60_000);

test('a paused session can be ended and deleted', async () => {
  const sessions = await Promise.all([1, 2].map(() => holdfast.createSession()));
  for (const { id } of sessions) {
    await holdfast.runStep(id, { code: 'x = 1' });
    await post(id, '/pause');
  }
  const [first, second] = sessions.map(({ id }) => id);
  expect(await post(first ?? '', '/complete')).toMatchObject({ status: 200, body: { status: 'completed' } });
  expect(await post(first ?? '', '/resume')).toMatchObject({ status: 410 });
  await eventually(async () => {
    expect((await holdfast.request('DELETE', `/v1/sessions/${second}`)).status).toBe(204);
  });
});

test('a pause that its replica did not finish is over when its time is', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'kept = 1' });
  await installation.database.db.sql`
    update sessions set status = 'pausing', start_deadline_at = now(), next_look_at = now() where id = ${id}`;
  await eventually(async () => expect(await read(id)).toMatchObject({ status: 'active' }), 30_000);
  expect(await shown(id, 'kept')).toBe('1');
}, 60_000);

test('an operator can move a session to a new sandbox', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'import socket; kept = [1]; s = socket.socket()' });
  const move = (body: object) => holdfast.request('POST', `/v1/admin/sessions/${id}/move`, body);
  expect(await move({})).toMatchObject({ status: 409, body: { code: 'state-not-saved' } });
  expect(await move({ force: true })).toMatchObject({
    status: 200,
    body: { status: 'active', epoch: 2, notSaved: [{ contextId: 'python', name: 's' }] },
  });
  expect(await shown(id, '(kept, "s" in globals())')).toBe('([1], False)');
  const audit = await holdfast.request('GET', `/v1/sessions/${id}/audit?operation=session.move`);
  expect(audit.body.items.at(-1)).toMatchObject({ actor: 'host', arguments: { force: true, status: 'pausing' } });
});

test.each([
  ['python', 'for i in range(9000): globals()[f"g{i}"] = (x for x in [])\nkept = 1', 'print(kept)'],
  [
    'node',
    'for (let i = 0; i < 9000; i++) globalThis["g" + i] = (function* () {})(); var kept = 1',
    'console.log(kept)',
  ],
])(
  'a session of %s with thousands of names that cannot be saved is resumed',
  async (language, set, show) => {
    const { id } = await holdfast.createSession({ language });
    await holdfast.runStep(id, { code: set });
    expect(await post(id, '/pause', { force: true })).toMatchObject({ status: 200 });
    expect(await post(id, '/resume')).toMatchObject({ status: 200, body: { status: 'active' } });
    expect((await holdfast.runStep(id, { code: show })).stdout).toBe('1\n');
  },
  60_000,
);
