import { execFileSync } from 'node:child_process';
import type { Session, Snapshot } from '@holdfast/specs/public';
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

const post = (id: string, rest: string, body?: object, more?: Record<string, string>) =>
  holdfast.request('POST', `/v1/sessions/${id}${rest}`, body, more);
const get = async (path: string) => (await holdfast.request('GET', path)).body;
const printed = async (id: string, code: string, more: object = {}) =>
  (await holdfast.runStep(id, { code, ...more })).stdout.trim();

async function fork(id: string, body: object = {}): Promise<Session[]> {
  const forked = await post(id, '/fork', body);
  expect(forked, JSON.stringify(forked.body)).toMatchObject({ status: 201 });
  return forked.body.items;
}

const sessionIds = async () => (await get('/v1/sessions?limit=200')).items.map(({ id }: Session) => id);

/** The agents whose parent is the program. */
function agents(): number[] {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', `${holdfast.pid}`], { encoding: 'utf8' });
  return children.split('\n').flatMap((line) => (line.includes('session-agent') ? [Number.parseInt(line, 10)] : []));
}

test('forks have the state of all contexts and the files, and go separate ways', async () => {
  const { id } = await holdfast.createSession({ env: { HIDDEN: 'value' }, metadata: { project: 'demo' } });
  const { body: other } = await post(id, '/contexts', { language: 'python', env: { OWN: 'own' } });
  await holdfast.runStep(id, { code: 'open("data.txt", "w").write("1")\nimport socket; s = socket.socket(); n = 1' });
  await holdfast.runStep(id, { code: 'n = 2', contextId: other.id });
  await holdfast.runStep(id, {
    code: 'const n = 3; const items = [n]; void setInterval(() => {}, 1000)',
    language: 'node',
  });
  await holdfast.runStep(id, {
    code: 'n=4; f() { echo "f $n"; }; mkdir -p sub; echo x > sub/made.txt',
    language: 'bash',
  });
  await holdfast.runStep(id, { code: '$n = 5', language: 'ruby' });
  const forks = await fork(id, { count: 3 });
  expect(new Set(forks.map((one) => one.id)).size).toBe(3);
  for (const one of forks) {
    expect(one).toMatchObject({ status: 'active', epoch: 1, metadata: { project: 'demo' }, stepCount: 0 });
    const report = Object.fromEntries(
      (one.lastRecovery?.contexts ?? []).map((context) => [context.contextId, context]),
    );
    expect(report.python).toMatchObject({ restored: ['socket', 'n'], lost: [{ name: 's' }] });
    expect(report[other.id]).toMatchObject({ restored: ['n'], lost: [] });
    expect(report.node).toMatchObject({ restored: ['n', 'items'], lost: [{ name: '(timers and connections)' }] });
    expect(report.bash?.restored).toEqual(expect.arrayContaining(['f()', 'n']));
    expect(report.ruby).toMatchObject({ lost: [{ name: '*' }] });
    expect(one.lastRecovery?.files).toEqual({ restored: 2, lost: [] });
    const code =
      'import os; print(n, open("data.txt").read(), open("sub/made.txt").read().strip(), os.environ["HIDDEN"])';
    expect(await printed(one.id, code)).toBe('1 1 x value');
    expect(await printed(one.id, 'import os; print(n, os.environ["OWN"])', { contextId: other.id })).toBe('2 own');
    expect(await printed(one.id, 'console.log(n, items[0] === n)', { language: 'node' })).toBe('3 true');
    expect(await printed(one.id, 'f', { language: 'bash' })).toBe('f 4');
  }
  await holdfast.runStep(forks[0]?.id ?? '', { code: 'n = 10; open("data.txt", "w").write("10")' });
  const read = 'print(n, open("data.txt").read())';
  expect(await printed(forks[1]?.id ?? '', read)).toBe('1 1');
  expect(await printed(id, read)).toBe('1 1');
  expect(await get(`/v1/sessions/${id}`)).toMatchObject({ status: 'active', epoch: 1, lastRecovery: null });
  expect(await get(`/v1/sessions/${id}/snapshots`)).toEqual({ items: [] });
}, 120_000);

test('a fork loses its sandbox and comes back as any other session', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'items = [1]; open("kept.txt", "w").write("kept")' });
  const [one] = await fork(id);
  const forkId = one?.id ?? '';
  process.kill(await agentOf(holdfast, forkId), 'SIGKILL');
  await eventually(async () => {
    await get(`/v1/sessions/${forkId}/contexts`);
    expect(await get(`/v1/sessions/${forkId}`)).toMatchObject({ status: 'active', epoch: 2 });
  }, 20_000);
  expect(await printed(forkId, 'print(items, open("kept.txt").read())')).toBe('[1] kept');
});

test('a fork is in the same folder of its own workspace', async () => {
  for (const [language, set, show] of [
    [
      'python',
      'import os; os.mkdir("sub"); os.chdir("sub"); open("f", "w").write("own")',
      'print(open("f").read(), os.getcwd())',
    ],
    [
      'node',
      "fs.mkdirSync('sub'); process.chdir('sub'); fs.writeFileSync('f', 'own')",
      "console.log(fs.readFileSync('f', 'utf8'), process.cwd())",
    ],
    [
      'bash',
      'mkdir -p sub/deep; cd sub; printf own > f; cd deep; cd ..',
      'echo "$(cat f) $(pwd -P)"; [ "$PWD" = "$(pwd -P)" ] && [ "$OLDPWD" = "$PWD/deep" ]',
    ],
  ] as const) {
    const { id } = await holdfast.createSession({ language });
    await holdfast.runStep(id, { code: set });
    const [one] = await fork(id);
    const step = await holdfast.runStep(one?.id ?? '', { code: show });
    const source = await holdfast.runStep(id, { code: show });
    expect(step).toMatchObject({ status: 'succeeded', stdout: expect.stringMatching(/^own .*\/sub\n$/) });
    expect(step.stdout).not.toBe(source.stdout);
  }
}, 60_000);

test('a fork is in the same folder also if that is empty', async () => {
  for (const [language, set, show] of [
    ['python', 'import os; os.mkdir("a b"); os.chdir("a b")', 'print(os.getcwd())'],
    ['node', "fs.mkdirSync('a b'); process.chdir('a b')", 'console.log(process.cwd())'],
    ['bash', 'mkdir "a b"; cd "a b"', 'pwd -P'],
  ] as const) {
    const { id } = await holdfast.createSession({ language });
    await holdfast.runStep(id, { code: set });
    const [one] = await fork(id);
    expect(await printed(one?.id ?? '', show)).toMatch(/\/a b$/);
  }
}, 60_000);

test('a fork has files that no step reported', async () => {
  const { id } = await holdfast.createSession();
  const write = 'open("late.txt", "w").write("late")';
  const later = `import time; time.sleep(0.5); ${write}; open("../done", "w")`;
  await holdfast.runStep(id, {
    code: `import subprocess, sys\np = subprocess.Popen([sys.executable, "-c", '${later}'])`,
  });
  await holdfast.runStep(id, { code: 'code = p.wait()' });
  const [one] = await fork(id);
  expect(await printed(one?.id ?? '', 'print(open("late.txt").read(), code)')).toBe('late 0');
});

test('a session from a snapshot has the files that it had then, and the files of the request in their place', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, {
    code: 'import os; os.mkdir("d"); [open(p, "w").write("1") for p in ("a", "b", "d/c")]; x = 1',
  });
  const snapshot: Snapshot = (await post(id, '/snapshots')).body;
  expect(snapshot.files).toEqual({ count: 3, bytes: 3, notSaved: [] });
  await holdfast.runStep(id, { code: 'os.remove("a"); open("b", "w").write("2"); open("new", "w").write("2"); x = 2' });
  const list =
    'print(x, sorted((os.path.join(p, f)[2:], open(os.path.join(p, f)).read()) for p, _, fs in os.walk(".") for f in fs))';
  const started = await holdfast.createSession({ fromSnapshot: snapshot.id });
  expect(started.lastRecovery).toMatchObject({
    contexts: [{ contextId: 'python', restored: ['os', 'x'], lost: [] }],
    files: { restored: 3, lost: [] },
  });
  expect(await printed(started.id, list)).toBe("1 [('a', '1'), ('b', '1'), ('d/c', '1')]");
  const mixed = await holdfast.createSession({
    fromSnapshot: snapshot.id,
    files: { b: 'own', d: 'file', 'a/x': 'dir' },
  });
  expect(await printed(mixed.id, list)).toBe("1 [('a/x', 'dir'), ('b', 'own'), ('d', 'file')]");
  const { items } = (await post(id, '/fork', { snapshotId: snapshot.id, count: 2, metadata: { n: '1' } })).body;
  for (const one of items) expect(await printed(one.id, list)).toBe("1 [('a', '1'), ('b', '1'), ('d/c', '1')]");
  expect(items[0].metadata).toEqual({ n: '1' });
});

test('a snapshot without files starts sessions without files', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'open("a", "w").write("1"); x = 1' });
  const { body } = await post(id, '/snapshots', { files: false });
  expect(body.files).toBeNull();
  const started = await holdfast.createSession({ fromSnapshot: body.id });
  expect(await printed(started.id, 'import os; print(x, os.listdir())')).toBe('1 []');
});

test('forks start from a snapshot of a session that has ended, in each language', async () => {
  for (const [language, set, show] of [
    ['python', 'open("f", "w").write("1"); x = [1]', 'print(x[0], open("f").read())'],
    ['node', "require('fs').writeFileSync('f', '1'); const x = [1]", "console.log(x[0], fs.readFileSync('f', 'utf8'))"],
    ['bash', 'printf 1 > f; x=1', 'echo "$x $(cat f)"'],
  ] as const) {
    const { id } = await holdfast.createSession({ language });
    await holdfast.runStep(id, { code: set });
    const { body: snapshot } = await post(id, '/snapshots');
    await post(id, '/complete');
    const [one] = await fork(id, { snapshotId: snapshot.id });
    expect(await printed(one?.id ?? '', show)).toBe('1 1');
  }
}, 60_000);

test('a snapshot of another session does not fork this one', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => holdfast.createSession()));
  await holdfast.runStep(other?.id ?? '', { code: 'x = 1' });
  const { body: snapshot } = await post(other?.id ?? '', '/snapshots');
  const refused = await post(one?.id ?? '', '/fork', { snapshotId: snapshot.id });
  expect(refused).toMatchObject({ status: 422, body: { code: 'snapshot-refused' } });
});

test('a repeat with the same Idempotency-Key gets the same forks', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'x = 1' });
  const key = { 'idempotency-key': 'fork-once' };
  const first = await post(id, '/fork', { count: 2 }, key);
  await holdfast.runStep(id, { code: 'x = 2' });
  const again = await post(id, '/fork', { count: 2 }, key);
  expect(again).toMatchObject({ status: 201, body: first.body });
  expect(await post(id, '/fork', { count: 3 }, key)).toMatchObject({
    status: 422,
    body: { code: 'idempotency-mismatch' },
  });
});

test('a session is not forked while it runs a step, or while it is paused', async () => {
  const { id } = await holdfast.createSession();
  const running = holdfast.runStep(id, { code: 'import time; time.sleep(4)' });
  await eventually(async () => expect((await holdfast.history(id)).at(-1)).toMatchObject({ status: 'running' }));
  expect(await post(id, '/fork')).toMatchObject({ status: 409, body: { code: 'context-busy' } });
  await running;
  await post(id, '/pause');
  expect(await post(id, '/fork')).toMatchObject({ status: 409, body: { code: 'session-paused' } });
});

test('no fork is left if the sandbox of one of them dies while it starts', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'kept = 1; big = bytes(range(256)) * 400_000' });
  const before = await sessionIds();
  const earlier = agents();
  const forking = post(id, '/fork', { count: 3 });
  await eventually(async () => {
    const added = agents().filter((pid) => !earlier.includes(pid));
    expect(added).toHaveLength(3);
    process.kill(added[1] ?? 0, 'SIGKILL');
  }, 20_000);
  const { status, body } = await forking;
  expect({ status, body }).toMatchObject({ status: 503, body: { code: 'sandbox-unreachable' } });
  expect(body.detail).toMatch(/^1 of 3 new sessions did not start, and all of them were deleted/);
  expect(await sessionIds()).toEqual(before);
  await eventually(async () => expect(agents().sort()).toEqual(earlier.sort()), 20_000);
  expect(await printed(id, 'print(kept)')).toBe('1');
}, 60_000);

test('nothing is made if the session loses its sandbox while it is forked', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'kept = 1' });
  const agent = await agentOf(holdfast, id);
  const before = await sessionIds();
  process.kill(agent, 'SIGSTOP');
  const forking = post(id, '/fork', { count: 2 });
  // The request waits for the agent: nothing of it can be done by now.
  await expect(Promise.race([forking, get('/readyz').then(() => 'waits')])).resolves.toBe('waits');
  process.kill(agent, 'SIGKILL');
  expect(await forking).toMatchObject({ status: 503 });
  expect(await sessionIds()).toEqual(before);
});
