import type { ProcessEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';
import { bytesIn, processClient } from './process-client.ts';

let fake: FakeKubernetes;
let database: TestDatabase;
type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;
let leaving: Replica;
let staying: Replica;

const startReplica = () => startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });
beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  staying = await startReplica();
});
afterAll(async () => {
  await staying[Symbol.asyncDispose]();
  await database.drop();
  await fake.close();
});

/** A stale replica is noticed after 15 s. */
const patienceMs = 90_000;

async function session() {
  leaving = await startReplica();
  const { id } = await leaving.createSession();
  return { id, there: processClient(leaving, id), here: processClient(staying, id) };
}

const endsOf = (id: string) => database.db.sql`
  select arguments ->> 'status' as status from audit_entries where operation = 'process.end' and session_id = ${id}`;

/** Writes bytes of all values as fast as it can, with pauses. */
const writer = `for i in $(seq 1 60); do head -c 20000 /dev/urandom | tee -a all; sleep 0.05; done; exit 7`;

test(
  'a reader who goes on at another replica after a kill -9 has every byte once, and the end is the true one',
  async () => {
    const { id, there, here } = await session();
    const { id: processId } = await there.start({ command: writer });
    const events: ProcessEvent[] = [];
    const read = async () => {
      for await (const event of there.events(processId)) {
        events.push(event);
        if (events.length === 20) process.kill(leaving.pid, 'SIGKILL');
      }
    };
    await read().catch(() => {});
    expect(events.at(-1)?.type).not.toBe('finished');
    for await (const event of here.events(processId, events.at(-1)?.seq)) events.push(event);
    const ended = await here.read(processId);
    expect(ended).toMatchObject({ status: 'exited', exitCode: 7, truncated: true });
    expect(events.at(-1)).toMatchObject({ type: 'finished', process: ended });
    const written = await fetch(`${staying.url}/v1/sessions/${id}/files/all`);
    expect(bytesIn(events).equals(Buffer.from(await written.arrayBuffer()))).toBe(true);
    expect(await endsOf(id)).toEqual([{ status: 'exited' }]);
    await leaving[Symbol.asyncDispose]();
  },
  patienceMs,
);

test(
  'a replica that slept through the end of its process changes nothing when it wakes',
  async () => {
    const { id, there, here } = await session();
    const { id: processId } = await there.start({ command: 'sleep 2; exit 3' });
    process.kill(leaving.pid, 'SIGSTOP');
    await eventually(
      async () => expect(await here.read(processId)).toMatchObject({ status: 'exited', exitCode: 3 }),
      patienceMs,
    );
    const ended = await here.read(processId);
    process.kill(leaving.pid, 'SIGCONT');
    await eventually(async () => expect(await there.read(processId)).toEqual(ended), patienceMs);
    expect(await endsOf(id)).toEqual([{ status: 'exited' }]);
    await leaving[Symbol.asyncDispose]();
  },
  patienceMs,
);

test(
  'a replica that stops leaves its processes to another one at once',
  async () => {
    const { there, here } = await session();
    const { id: processId } = await there.start({ command: 'read line; exit 4', stdin: true });
    await leaving.stop();
    await eventually(async () => expect((await here.post(processId, 'stdin', { text: 'go\n' })).status).toBe(200));
    await eventually(async () =>
      expect(await here.read(processId, 5)).toMatchObject({ status: 'exited', exitCode: 4 }),
    );
    await leaving[Symbol.asyncDispose]();
  },
  patienceMs,
);
