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

test('a receiver that fails, hangs, redirects and cuts gets every end at least once, although replicas are killed', async () => {
  const accepted = new Set<string>();
  let received = 0;
  await using receiver = await startReceiver(({ body }, response, attemptsBefore) => {
    const way = attemptsBefore === 0 ? received++ % 6 : 5;
    if (way === 0) response.writeHead(500).end();
    else if (way === 1) response.writeHead(307, { Location: '/' }).end();
    else if (way === 2) response.destroy();
    // An answer to way 3 never comes.
    if (way < 4) return;
    accepted.add(body.data.id);
    if (way === 4) response.destroy();
    else response.writeHead(200).end();
  });
  await using staying = await start();
  const { id } = await staying.createSession({ webhooks: [{ url: receiver.url, secret }] });
  const ends: string[] = [];
  for (let kills = 0; kills < 2; kills++) {
    await using leaving = await start();
    for (let n = 0; n < 4; n++) ends.push((await leaving.runStep(id, { code: `${n}` })).id);
    // A long step is handed over, and its end comes from the other replica.
    const long = { code: 'import time; time.sleep(2)', wait: false };
    ends.push((await leaving.request('POST', `/v1/sessions/${id}/steps`, long)).body.id);
    await eventually(() => expect(received).toBeGreaterThan(kills * 4));
    await leaving.kill();
  }
  await eventually(async () => {
    const steps = await staying.history(id);
    expect(steps.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
  }, 45_000);
  await staying.request('POST', `/v1/sessions/${id}/complete`);
  await eventually(() => expect([...accepted].toSorted()).toEqual([...ends, id].toSorted()), 60_000);
  await eventually(async () => {
    const open = await database.db.sql`select status from webhook_deliveries where status <> 'delivered'`;
    expect([...open]).toEqual([]);
  }, 60_000);
  expect(receiver.faults).toEqual([]);
  // Attempts for one end have one id, and no two ends share one.
  const ids = new Map(receiver.attempts.map((attempt) => [attempt.body.data.id, attempt.id]));
  expect(new Set(receiver.attempts.map((attempt) => attempt.id)).size).toBe(ids.size);
}, 240_000);
