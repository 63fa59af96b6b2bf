import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freeze, processesBySandbox } from '../checker/stage/processes.ts';
import { residentMb } from '../checker/stage/resources.ts';
import { eventually } from '../support/eventually.ts';
import { filesClient } from '../support/files-client.ts';
import { marksOf, untrue, wronglyRefused } from './judge.ts';
import { ask, type Exchange, kinds, startLoad } from './load.ts';
import { type FrozenStage, type Replica, startFrozenStage } from './stage.ts';

/** How long Postgres is frozen. By default longer than any deadline of a request or of a connection. */
const frozenSeconds = Number(process.env.HOLDFAST_TEST_SECONDS ?? 12);
const residentMbMax = 512;
const testMs = frozenSeconds * 1000 + 150_000;

const probe = async ({ request }: Replica) => (await request('GET', '/readyz')).status;
const untilReady = (replicas: readonly Replica[], withinMs = 30_000) =>
  Promise.all(replicas.map((one) => eventually(async () => expect(await probe(one)).toBe(200), withinMs)));
const untilUnready = (replicas: readonly Replica[]) =>
  Promise.all(replicas.map((one) => eventually(async () => expect(await probe(one)).toBe(503))));

test.each([1, 2])(
  'while Postgres is frozen %i replicas refuse soon, and afterwards everything has its true end',
  async (count) => {
    await using stage = await startFrozenStage({ replicas: count });
    const { replicas, postgres } = stage;
    const sessions = await createSessions(stage, 3);
    const long = await Promise.all([4, frozenSeconds + 3].map((seconds) => startLongStep(stage, seconds)));
    using load = startLoad({ replicas, sessions, clientsOfEach: 2 });
    await eventually(() => expect(load.exchanges.length).toBeGreaterThan(100), 30_000);

    const { frozen, thaw } = await postgres.freeze();
    const frozenAt = performance.now();
    let residentMbSeen = 0;
    try {
      await untilUnready(replicas);
      while (performance.now() - frozenAt < frozenSeconds * 1000) {
        for (const { pid } of replicas) residentMbSeen = Math.max(residentMbSeen, await residentMb(pid));
        await delay(250);
      }
      expect(await Promise.all(replicas.map(probe))).toEqual(replicas.map(() => 503));
    } finally {
      thaw();
    }
    const thawedAt = performance.now();
    await untilReady(replicas);
    await load.stop();

    expect(frozen).toBeGreaterThan(1);
    expect(residentMbSeen).toBeLessThan(residentMbMax);
    const during = load.exchanges.filter(({ beganAt }) => beganAt > frozenAt && beganAt < thawedAt);
    expect(during.filter(({ status }) => status === 503).length).toBeGreaterThan(100);
    expect(wronglyRefused(during)).toEqual([]);
    for (const step of long) await expectLongStep(stage, step);
    await expectTruth(stage, { sessions, exchanges: load.exchanges });
  },
  testMs,
);

test(
  'a replica goes on without half of its connections, and afterwards everything has its true end',
  async () => {
    await using stage = await startFrozenStage();
    const { replicas } = stage;
    const sessions = await createSessions(stage, 3);
    using before = startLoad({ replicas, sessions, clientsOfEach: 2 });
    await eventually(() => expect(before.exchanges.length).toBeGreaterThan(100), 30_000);
    // A backend that is frozen in the middle of a transaction keeps its locks, which only its end releases.
    await before.stop();

    const { all, history } = await stage.backends();
    expect(history).toHaveLength(1);
    const others = all.filter((pid) => !history.includes(pid));
    const { frozen, thaw } = await freeze([...history, ...others.slice(others.length / 2)]);
    using load = startLoad({ replicas, sessions, clientsOfEach: 2 });
    try {
      // Until then some requests wait for the connections that they happen to have, and all steps for that of the history.
      await eventually(async () => {
        for (const kind of kinds) {
          expect(load.exchanges.filter((one) => one.kind === kind && one.status < 300)).not.toEqual([]);
        }
      }, 60_000);
    } finally {
      thaw();
    }
    await untilReady(replicas);
    await load.stop();
    expect(frozen).toBeGreaterThan(3);
    await expectTruth(stage, { sessions, exchanges: [...before.exchanges, ...load.exchanges] });
  },
  testMs,
);

test(
  'a replica that starts while Postgres is frozen waits for it, and serves afterwards',
  async () => {
    await using stage = await startFrozenStage();
    const { id } = await stage.replica.createSession();
    const { frozen, thaw } = await stage.postgres.freeze();
    const starting = stage.start();
    starting.catch(() => {});
    await untilUnready(stage.replicas).finally(thaw);
    expect(frozen).toBeGreaterThan(1);
    const second = await starting;
    await untilReady([...stage.replicas, second]);
    expect(await second.runStep(id, { code: '6 * 7' })).toMatchObject({ results: [{ data: { 'text/plain': '42' } }] });
  },
  testMs,
);

test(
  'a session whose sandbox becomes ready while Postgres is frozen is created by a repeat of the request',
  async () => {
    await using stage = await startFrozenStage();
    const { replica, replicas, fake } = stage;
    fake.scheduling.close();
    const create = () => replica.request('POST', '/v1/sessions', {}, { 'idempotency-key': 'one' });
    const creation = create();
    await eventually(() => expect(fake.pods.all()).toHaveLength(1));
    const { thaw } = await stage.postgres.freeze();
    const refusals = await (async () => {
      await untilUnready(replicas);
      fake.scheduling.open();
      return await Promise.all([creation, replica.request('POST', '/v1/sessions', {})]);
    })().finally(thaw);
    expect(refusals.map(({ status }) => status)).toEqual([503, 503]);
    await untilReady(replicas);
    const created = await create();
    expect(created).toMatchObject({ status: 201, body: { status: 'active' } });
    const { id } = created.body;
    expect(await replica.runStep(id, { code: '6 * 7' })).toMatchObject({ status: 'succeeded' });
    expect(fake.pods.all()).toHaveLength(1);
    // The request without a key may have been sent to Postgres before it was known to be away. Then its session waits for a start that does
    // not come, and fails at its deadline.
    expect(await stage.query("select id from sessions where status <> 'creating'")).toEqual([{ id }]);
  },
  testMs,
);

test(
  'nothing is left of a session if Postgres freezes in the middle of its deletion',
  async () => {
    await using stage = await startFrozenStage();
    const { replica, replicas, fake, postgres, query } = stage;
    const [id] = await createSessions(stage, 1);
    const uid = fake.pods.all()[0]?.metadata.uid ?? '';
    const [agent] = (await processesBySandbox()).get(uid) ?? [];
    const silent = await freeze([agent?.pid as number]);
    const remove = () => replica.request('DELETE', `/v1/sessions/${id}`);
    const removal = remove();
    // The end of the session is recorded, and its agent is to be fenced.
    await eventually(async () => expect(await query('select status from sessions')).toEqual([{ status: 'aborted' }]));
    const { thaw } = await postgres.freeze();
    silent.thaw();
    await untilUnready(replicas).finally(thaw);
    expect([202, 204, 503]).toContain((await removal).status);
    await untilReady(replicas);
    await eventually(async () => expect((await remove()).status).toBe(204), 30_000);
    expect(fake.pods.all()).toEqual([]);
    expect(await query('select id from sessions')).toEqual([]);
  },
  testMs,
);

async function createSessions({ replica }: FrozenStage, count: number): Promise<string[]> {
  return await Promise.all(Array.from({ length: count }, async () => (await replica.createSession()).id));
}

type LongStep = { id: string; seconds: number; rest: AsyncGenerator<object> };

/** Begins a streamed step that ends after so many seconds. */
async function startLongStep({ replica }: FrozenStage, seconds: number): Promise<LongStep> {
  const { id } = await replica.createSession();
  const code = `print("begun", flush=True)\nimport time; time.sleep(${seconds})\n${seconds}`;
  const events = replica.streamStep(id, { code, timeoutSeconds: seconds + 60 });
  for (let next = await events.next(); next.value.type !== 'stdout'; ) next = await events.next();
  return { id, seconds, rest: events };
}

async function expectLongStep({ replica }: FrozenStage, { id, seconds, rest }: LongStep): Promise<void> {
  const end = { status: 'succeeded', stdout: 'begun\n', results: [{ data: { 'text/plain': String(seconds) } }] };
  let last: object = {};
  for await (const event of rest) last = event;
  expect(last).toMatchObject({ type: 'finished', step: end });
  expect(await replica.history(id)).toMatchObject([end]);
}

type Load = { sessions: readonly string[]; exchanges: readonly Exchange[] };

/** Repeats requests that have a key, and compares the memory of each session with its history and with the answers. */
async function expectTruth(stage: FrozenStage, { sessions, exchanges }: Load): Promise<void> {
  const { replica, replicas } = stage;
  const keyed = exchanges.filter(({ kind }) => kind === 'keyed');
  const repeated: Exchange[] = [];
  const refused = keyed.filter(({ status }) => status >= 400).slice(0, 20);
  for (const exchange of [...keyed.filter(({ status }) => status < 400), ...refused]) {
    repeated.push(await ask(replicas.at(-1) as Replica, exchange));
  }
  expect(repeated.filter(({ status }) => status !== 200)).toEqual([]);
  const found: string[] = [];
  for (const sessionId of sessions) {
    const ran = await marksOf(replica, sessionId);
    const history = await eventually(async () => {
      const steps = await replica.history(sessionId);
      expect(steps.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
      return steps;
    }, 30_000);
    const own = [...exchanges, ...repeated].filter((exchange) => exchange.sessionId === sessionId);
    found.push(...untrue({ sessionId, ran, history, exchanges: own }));
    await expectWorld(stage, { sessionId, exchanges: own });
  }
  expect(found).toEqual([]);
}

/** The world has exactly the files of the workspace, every upload that succeeded among them. */
async function expectWorld(
  { replica, query }: FrozenStage,
  { sessionId, exchanges }: { sessionId: string; exchanges: readonly Exchange[] },
): Promise<void> {
  const uploads = exchanges.filter(({ kind }) => kind === 'upload');
  await eventually(async () => {
    const rows = await query(`select path, size::int from world_files where session_id = '${sessionId}' order by path`);
    const { items } = (await filesClient(replica, sessionId).list()).json();
    const files = items.map(({ path, size }: { path: string; size: number }) => ({ path, size }));
    expect(rows).toEqual(files.toSorted((a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)));
    const paths = new Set(rows.map(({ path }) => path));
    expect(uploads.filter(({ status, mark }) => status === 201 && !paths.has(mark))).toEqual([]);
  }, 30_000);
}
