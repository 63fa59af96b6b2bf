import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';
import { secret, startReceiver } from './start-receiver.ts';

let fake: FakeKubernetes;
let database: TestDatabase;
beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
}, 60_000);
afterAll(async () => {
  await database.drop();
  await fake.close();
});

const start = () =>
  startReplicaOnKubernetes(fake, { DATABASE_URL: database.url, HOLDFAST_WEBHOOKS_ALLOW_PRIVATE: 'true' });

/**
 * The ways in which attempts for one end are answered, one after another, before one is answered with success. Each end begins at another
 * place, so that every way is the first for some end.
 */
const ways = ['fails', 'redirects', 'resets', 'cuts', 'hangs', 'dribbles', 'accepts and resets', 'accepts'] as const;

function answerIn(way: (typeof ways)[number], response: ServerResponse): void {
  if (way === 'fails') response.writeHead(500).end('x'.repeat(100_000));
  if (way === 'redirects') response.writeHead(307, { Location: '/elsewhere' }).end();
  if (way === 'cuts') response.destroy();
  if (way === 'resets' || way === 'accepts and resets') response.req.socket.resetAndDestroy();
  if (way === 'dribbles') response.req.socket.write('HTTP/1.1 200 O');
  if (way === 'accepts') response.writeHead(200).end();
}

const losses = Array(Number(process.env.HOLDFAST_RACE_ROUNDS ?? 1))
  .fill(['SIGKILL', 'SIGSTOP'] as const)
  .flat();

test('a receiver that fails, hangs, redirects, resets and repeats gets every end at least once, although replicas are killed and frozen', async () => {
  const accepted = new Map<string, number>();
  const begins = new Map<string, number>();
  const answered = new Set<string>();
  await using receiver = await startReceiver(({ id, body }, response, attemptsBefore) => {
    const begin = begins.get(id) ?? begins.size;
    begins.set(id, begin);
    // After two ways, the receiver has recovered; of the end of a process or a session there is one only.
    const way = ways[attemptsBefore < 2 ? (begin + attemptsBefore) % ways.length : ways.length - 1] ?? 'accepts';
    answered.add(way);
    if (way.startsWith('accepts')) accepted.set(body.data.id, (accepted.get(body.data.id) ?? 0) + 1);
    answerIn(way, response);
  });
  await using staying = await start();
  const { id } = await staying.createSession({ webhooks: [{ url: receiver.url, secret }] });
  const path = `/v1/sessions/${id}`;
  const ends: string[] = [];
  for (const loss of losses) {
    await using leaving = await start();
    for (let n = 0; n < 3; n++) ends.push((await leaving.runStep(id, { code: `${n}` })).id);
    const begun = [
      // Everything that runs is handed over, and its end comes from the other replica.
      await leaving.request('POST', `${path}/steps`, { code: 'import time; time.sleep(2)', wait: false }),
      await leaving.request('POST', `${path}/jobs`, {
        language: 'python',
        code: 'import time; time.sleep(2)',
        wait: false,
      }),
      await leaving.request('POST', `${path}/processes`, { command: 'sleep 2' }),
    ];
    expect(begun.map(({ status }) => status)).toEqual([202, 202, 202]);
    ends.push(...begun.map(({ body }) => body.id));
    const before = receiver.attempts.length;
    await eventually(() => expect(receiver.attempts.length).toBeGreaterThan(before));
    leaving.child.kill(loss);
    await eventually(async () => {
      const { body } = await staying.request('GET', `${path}/processes`);
      const running = body.items.filter(({ status }: { status: string }) => status === 'running');
      const unfinished = (await staying.history(id)).filter(({ finishedAt }) => finishedAt === null);
      expect([running, unfinished]).toEqual([[], []]);
    }, 60_000);
    // It wakes up while what it had begun belongs to another one.
    leaving.child.kill('SIGCONT');
  }
  await staying.request('POST', `${path}/complete`);
  await eventually(async () => {
    const open = await database.db.sql`select status from webhook_deliveries where status <> 'delivered'`;
    expect([...open]).toEqual([]);
  }, 90_000);
  expect([...accepted.keys()].toSorted()).toEqual([...ends, id].toSorted());
  expect([...answered].toSorted()).toEqual([...ways].toSorted());
  expect(Math.max(...accepted.values())).toBeGreaterThan(1);
  expect(receiver.faults).toEqual([]);
  expect(receiver.attempts.filter((attempt) => attempt.path !== '/')).toEqual([]);
  // Attempts for one end have one id, and no two ends share one.
  const ids = new Map(receiver.attempts.map((attempt) => [attempt.body.data.id, attempt.id]));
  expect(new Set(receiver.attempts.map((attempt) => attempt.id)).size).toBe(ids.size);
}, 300_000);
