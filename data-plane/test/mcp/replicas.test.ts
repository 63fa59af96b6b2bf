import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';
import { type Answering, connectMcp, run } from './mcp-client.ts';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
let here: Replica;
let there: Replica;
const start = () => startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });
beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  [here, there] = await Promise.all([start(), start()]);
}, 60_000);
afterAll(async () => {
  await Promise.all([here, there].map((replica) => replica[Symbol.asyncDispose]()));
  await database.drop();
  await fake.close();
});

/** A client behind a balancer that sends each request to the next replica, or to the other one if that is gone. */
async function connectBalanced(replicas: Replica[], onQuestion?: Answering) {
  const counts = replicas.map(() => 0);
  let next = 0;
  const balanced: typeof fetch = async (input, init) => {
    for (let tries = 0; ; tries++) {
      const index = next++ % replicas.length;
      const url = new URL(new URL(input as string | URL).pathname, replicas[index]?.url);
      try {
        const answer = await fetch(url, init);
        counts[index] = (counts[index] ?? 0) + 1;
        return answer;
      } catch (error) {
        if (init?.signal?.aborted || tries === replicas.length) throw error;
      }
    }
  };
  const mcp = await connectMcp('http://balancer', { fetch: balanced, ...(onQuestion && { onQuestion }) });
  return Object.assign(mcp, { counts });
}

test('any replica serves any request of an MCP session', async () => {
  await using mcp = await connectBalanced([here, there]);
  for (let n = 0; n < 6; n++) {
    expect(await mcp.call(...run(n === 0 ? 'x = 0' : 'x += 1\nx'))).toMatchObject({ result: n === 0 ? null : `${n}` });
  }
  expect(await mcp.call('get_context')).toMatchObject({ symbols: [{ name: 'x', preview: '5' }] });
  expect(await mcp.call('create_session', { name: 'other' })).toMatchObject({ isCurrent: true });
  expect(await mcp.call(...run('x'))).toMatchObject({ error: { name: 'NameError' } });
  expect(await mcp.call(...run('x'))).toMatchObject({ error: { name: 'NameError' } });
  expect(Math.min(...mcp.counts)).toBeGreaterThan(4);
}, 60_000);

test('a call is cancelled through the replica on which it does not run', async () => {
  await using mcp = await connectBalanced([here, there]);
  await mcp.call(...run('1'));
  const cancel = new AbortController();
  const begun = Promise.withResolvers<void>();
  const call = mcp.tool(...run('import time\nprint("begun", flush=True)\ntime.sleep(600)'), {
    signal: cancel.signal,
    onprogress: () => begun.resolve(),
  });
  await begun.promise;
  const before = [...mcp.counts];
  cancel.abort();
  await expect(call).rejects.toThrow();
  expect(await mcp.call(...run('"free"'))).toMatchObject({ result: "'free'" });
  expect(mcp.counts.every((count, index) => count > (before[index] ?? 0))).toBe(true);
}, 60_000);

test('an answer that a killed replica was giving goes on at another one, with the true end of the code', async () => {
  await using leaving = await start();
  const replicas = [leaving];
  await using mcp = await connectBalanced(replicas);
  const { sessionId } = await mcp.call(...run('1'));
  const begun = Promise.withResolvers<void>();
  const code = `import os, time
open("runs", "a").write("x")
print("begun", flush=True)
while not os.path.exists("go"): time.sleep(0.05)
print("end")
open("runs").read()`;
  const call = mcp.call(...run(code), { onprogress: () => begun.resolve(), timeout: 100_000 });
  await begun.promise;
  replicas.splice(0, 1, there);
  await leaving.kill();
  await eventually(async () => {
    const written = await fetch(`${here.url}/v1/sessions/${sessionId}/files/go`, { method: 'PUT', body: 'now' });
    expect(written.ok).toBe(true);
  }, 30_000);
  expect(await call).toMatchObject({ status: 'succeeded', stdout: 'begun\nend\n', result: "'x'" });
}, 120_000);

test('code asks the person at its client, whose answers may come to another replica', async () => {
  const asked: string[] = [];
  await using mcp = await connectBalanced([here, there], async (message) => {
    asked.push(message);
    if (message.endsWith('sure? ')) return { action: 'decline' };
    return { action: 'accept', content: { input: message.endsWith('name? ') ? 'Ada "ü"' : '' } };
  });
  expect(await mcp.call(...run('[input("name? "), input()]'))).toMatchObject({ result: `['Ada "ü"', '']` });
  expect(await mcp.call(...run('input("sure? ")'))).toMatchObject({ error: { name: 'EOFError' } });
  expect(await mcp.call('run_command', { command: 'read -p "name? " name; echo "$name"' })).toMatchObject({
    stdout: 'Ada "ü"\n',
  });
  expect(asked).toEqual(
    ['name? ', '', 'sure? ', 'name? '].map((prompt) => `The code asks for input${prompt && `: ${prompt}`}`),
  );
  expect(await mcp.call(...run('import getpass\ngetpass.getpass("secret? ")'))).toMatchObject({
    error: { name: 'EOFError' },
    notes: ['Code cannot ask for a password here. Its input has ended there.'],
  });
  expect(asked).toHaveLength(4);
}, 60_000);
