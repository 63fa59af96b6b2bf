import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Artifact, StepEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { temporaryDataDir } from '../support/start-holdfast.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

let fake: FakeKubernetes;
let database: TestDatabase;
let shared: Awaited<ReturnType<typeof temporaryDataDir>>;
let leaving: Awaited<ReturnType<typeof startReplicaOnKubernetes>>;
let staying: Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  shared = await temporaryDataDir();
  const start = () => startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });
  [leaving, staying] = await Promise.all([start(), start()]);
});
afterAll(async () => {
  await leaving[Symbol.asyncDispose]();
  await staying[Symbol.asyncDispose]();
  await shared.remove();
  await database.drop();
  await fake.close();
});

const artifactsOf = (sessionId: string) =>
  database.db.sql`select path, sha256 from artifacts where session_id = ${sessionId}`;

/** Blocks every write of a step until it is disposed. */
async function stepsLocked() {
  const connection = database.db.connectAlone();
  const lock = await connection.reserve();
  await lock`begin`;
  await lock`lock table steps in exclusive mode`;
  return {
    async [Symbol.asyncDispose]() {
      await lock`rollback`;
      lock.release();
      await connection.end();
    },
  };
}

test('a reader that follows a step through another replica sees its artifacts, too', async () => {
  const { id } = await leaving.createSession();
  const begun = Promise.withResolvers<string>();
  const code = 'import time\nprint("begun", flush=True)\ntime.sleep(1)\nopen("made.txt", "w").write("made")';
  const streaming = (async () => {
    const events: StepEvent[] = [];
    for await (const event of leaving.streamStep(id, { code })) {
      events.push(event);
      if (event.type === 'stdout') begun.resolve(event.stepId);
    }
    return events;
  })();
  const followed: StepEvent[] = [];
  for await (const event of staying.followStep(id, await begun.promise)) followed.push(event);
  const shown = (events: StepEvent[]) => events.map(({ type, seq }) => [type, seq]);
  expect(shown(followed)).toEqual(shown(await streaming));
  expect(followed.at(-2)).toMatchObject({ type: 'artifact', path: 'made.txt' });
}, 60_000);

test('the artifacts of a step are recorded once if its replica is killed between storing them and recording the end', async () => {
  const { id } = await leaving.createSession();
  const go = join(shared.path, 'go');
  const code = `
import os, time
print("begun", flush=True)
while not os.path.exists(${JSON.stringify(go)}): time.sleep(0.01)
_ = open("made.txt", "w").write("made")`;
  const begun = Promise.withResolvers<string>();
  const streaming = (async () => {
    for await (const event of leaving.streamStep(id, { code }))
      if (event.type === 'stdout') begun.resolve(event.stepId);
  })().catch(() => {});
  const stepId = await begun.promise;
  {
    await using _ = await stepsLocked();
    await writeFile(go, '');
    await eventually(async () => expect(await artifactsOf(id)).toHaveLength(1));
    await leaving.kill();
  }
  // From now on the replica counts as gone.
  await database.db.sql`
    update replicas set heartbeat_at = now() - interval '1 minute'
    where id = (select replica_id from steps where id = ${stepId})`;
  await streaming;
  const path = `/v1/sessions/${id}/steps/${stepId}`;
  await eventually(
    async () => expect((await staying.request('GET', path)).body).toMatchObject({ status: 'succeeded' }),
    40_000,
  );
  expect(await artifactsOf(id)).toHaveLength(1);
  const events: StepEvent[] = [];
  for await (const event of staying.followStep(id, stepId)) events.push(event);
  expect(events.map(({ type }) => type).filter((type) => type !== 'queued')).toEqual([
    'started',
    'stdout',
    'artifact',
    'finished',
  ]);
  const [artifact]: Artifact[] = (await staying.request('GET', path)).body.artifacts;
  expect(artifact).toMatchObject({ path: 'made.txt', change: 'created', omission: null, size: 4 });
  expect(await (await fetch(`${staying.url}${artifact?.url}`)).text()).toBe('made');
}, 60_000);
