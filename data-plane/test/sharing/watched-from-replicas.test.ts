import type { Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';
import { bySteps, type Watcher, watchSession } from './watch-session.ts';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
let one: Replica;
let other: Replica;
let killed: Replica;
let frozen: Replica;

beforeAll(async () => {
  [fake, database] = await Promise.all([startFakeKubernetes(), createTestDatabase()]);
  const start = () => startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });
  [one, other] = await Promise.all([start(), start()]);
  [killed, frozen] = await Promise.all([start(), start()]);
}, 120_000);
afterAll(async () => {
  process.kill(frozen.pid, 'SIGCONT');
  await Promise.all([one, other, killed, frozen].map((replica) => replica[Symbol.asyncDispose]()));
  await database.drop();
  await fake.close();
});

const code = (name: string, lines: number) =>
  `import time\nfor i in range(${lines}):\n  print(${JSON.stringify(name)}, i, flush=True)\n  time.sleep(0.02)\ni`;

/** Sends a step in the context of its own and does not wait for its end. */
async function begin(
  replica: Replica,
  sessionId: string,
  body: object,
): Promise<{ stepId: string; left: Promise<unknown> }> {
  const events = replica.streamStep(sessionId, body);
  const { value } = await events.next();
  const rest = (async () => {
    for await (const _ of events);
  })();
  return { stepId: value.stepId, left: rest.catch(() => {}) };
}

const followerOf = async (stepId: string) =>
  (
    await database.db.sql<
      { replicaId: string | null }[]
    >`select replica_id as "replicaId" from steps where id = ${stepId}`
  )[0]?.replicaId;

test('all readers see the same events, wherever they watch and however often they come again', async () => {
  const { id } = await one.createSession();
  const contextOf = async (language: string) =>
    (await one.request('POST', `/v1/sessions/${id}/contexts`, { language })).body.id as string;
  const [toKill, toFreeze] = [await contextOf('python'), await contextOf('python')];

  const watchers = [watchSession(id), watchSession(id)];
  watchers[0]?.connect(one.url);
  watchers[1]?.connect(other.url);
  const restless = watchSession(id);
  const restlessOn = [one, other];
  let connections = 0;
  const reconnect = async () => {
    const before = restless.seen.length;
    await restless.cut();
    restless.connect((restlessOn[connections++ % 2] as Replica).url);
    // It comes again because something was missed or is under way, not at once.
    await eventually(() => expect(restless.seen.length).toBeGreaterThan(before), 60_000);
  };

  const killedStep = await begin(killed, id, { code: code('killed', 150), contextId: toKill, actor: 'agent' });
  const frozenStep = await begin(frozen, id, { code: code('frozen', 150), contextId: toFreeze, actor: 'user' });
  const before = [await followerOf(killedStep.stepId), await followerOf(frozenStep.stepId)];
  await killed.kill();
  process.kill(frozen.pid, 'SIGSTOP');

  const steps: Step[] = [];
  const send = async (replica: Replica, body: { actor: 'agent' | 'user'; actorName?: string; code: string }) => {
    steps.push(await replica.runStep(id, body));
  };
  const agent = (async () => {
    for (let n = 0; n < 20; n++) await send(n % 2 ? one : other, { actor: 'agent', code: code(`agent ${n}`, n) });
  })();
  const person = (async () => {
    for (let n = 0; n < 10; n++) {
      const body = { actor: 'user', actorName: 'Ada', code: n % 3 ? `x = ${n}; x` : 'print("y" * 200_000)' } as const;
      await send(n % 2 ? other : one, body);
    }
  })();
  for (let n = 0; n < 10; n++) await reconnect();
  await Promise.all([agent, person]);
  await eventually(async () => {
    expect(await followerOf(killedStep.stepId)).not.toBe(before[0]);
    expect(await followerOf(frozenStep.stepId)).not.toBe(before[1]);
  }, 60_000);
  process.kill(frozen.pid, 'SIGCONT');
  for (const { stepId } of [killedStep, frozenStep]) await watchers[0]?.has(stepId, 'finished');
  const late = watchSession(id);
  late.connect(other.url);
  expect((await one.request('POST', `/v1/sessions/${id}/complete`)).status).toBe(200);
  const all: Watcher[] = [...watchers, restless, late];
  for (const watcher of all) expect(await watcher.over).toBe('ended');

  const recorded = new Map<string, unknown[]>();
  for (const { id: stepId } of await one.history(id)) {
    const events: { data: Record<string, unknown> }[] = [];
    for await (const event of one.followStep(id, stepId)) events.push({ data: event });
    recorded.set(stepId, bySteps(events).get(stepId) ?? []);
  }
  expect(recorded.size).toBe(steps.length + 2);
  for (const watcher of all) expect(watcher.bySteps()).toEqual(recorded);
  const entries = watchers[0]?.entries() ?? [];
  expect(entries.length).toBeGreaterThan(3);
  for (const watcher of all) expect(watcher.entries()).toEqual(entries);
  expect(connections).toBe(10);
  await Promise.all([killedStep.left, frozenStep.left]);
}, 240_000);
