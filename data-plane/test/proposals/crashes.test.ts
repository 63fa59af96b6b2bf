import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { agentOf } from '../state/kill-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { filesClient } from '../support/files-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';
import { proposing, shown, text } from './governed-session.ts';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
/** It outlives the replicas that are killed. */
let survivor: Replica;

const start = () => startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });

beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  survivor = await start();
}, 120_000);
afterAll(async () => {
  await survivor[Symbol.asyncDispose]();
  await database.drop();
  await fake.close();
}, 120_000);

const before = { a: `${text('1')} 0644`, gone: `${text('gone')} 0644` };
const after = { a: `${text('2')} 0600`, 'd/b': `${text('b')} 0644`, gone: '-> a' };

/** A session with a proposal that changes its world from `before` to `after`. */
async function withProposal() {
  const { id } = await survivor.createSession({ policy: proposing, files: { a: '1', gone: 'gone' } });
  const code = `import os
open("a", "w").write("2"); os.chmod("a", 0o600); os.remove("gone"); os.symlink("a", "gone")
os.mkdir("d"); open("d/b", "w").write("b")`;
  const step = await survivor.runStep(id, { code });
  return { id, proposal: step.proposals[0]?.id ?? '' };
}

const decide = (replica: Replica, { id, proposal }: { id: string; proposal: string }, what: 'commit' | 'reject') =>
  replica.request('POST', `/v1/sessions/${id}/proposals/${proposal}/${what}`, {});
const statusOf = async ({ id, proposal }: { id: string; proposal: string }) =>
  (await survivor.request('GET', `/v1/sessions/${id}/proposals/${proposal}`)).body.status;
const worldOf = async (sessionId: string) =>
  Object.fromEntries(
    (await listWorldFiles(database.db, { sessionId })).map(({ path, sha256, mode, target }) => [
      path,
      target ? `-> ${target}` : `${shown(sha256)} ${mode}`,
    ]),
  );
async function workingCopyOf(id: string) {
  const files = filesClient(survivor, id);
  const { items } = (await files.list({ depth: '8' })).json();
  const paths: string[] = items.flatMap((one: { kind: string; path: string }) =>
    one.kind === 'directory' ? [] : [one.path],
  );
  const seen = async (path: string) => {
    const { linkTarget, mode } = (await files.ask('GET', 'stat', { query: { path } })).json();
    return linkTarget ? `-> ${linkTarget}` : `${text((await files.get(path)).text)} ${mode}`;
  };
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await seen(path)])));
}
const auditOf = async (id: string, operation: string) =>
  (await survivor.request('GET', `/v1/sessions/${id}/audit?operation=${operation}`)).body.items.length;

/** Blocks the writers of a table, until it is released. Resolves with the process of the first one that waits. */
async function locked(table: string) {
  const lock = database.owner.connectAlone();
  await lock`begin`;
  await lock.unsafe(`lock table ${table} in share row exclusive mode`);
  return {
    waiting: () =>
      eventually(async () => {
        const [found] = await database.db.sql<{ pid: number }[]>`
          select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid
          where a.datname = current_database() and not l.granted and l.relation = ${table}::regclass`;
        expect(found).toBeDefined();
        return found?.pid ?? 0;
      }),
    async release() {
      await lock`rollback`;
      await lock.end();
    },
  };
}

const terminate = (pid: number) => database.db.sql`select pg_terminate_backend(${pid})`;
/** The replica that holds the world is known to be gone. */
const forgetWriter = (id: string) => database.db.sql`
  update replicas set heartbeat_at = now() - interval '1 minute'
  where id = (select replica_id from worlds where session_id = ${id})`;

test.each(['proposal_changes', 'proposals', 'audit_entries', 'worlds', 'world_files', 'session_storage'])(
  'a commit whose replica is killed before it writes %s has changed nothing, and is repeated by another replica',
  async (table) => {
    const leaving = await start();
    const one = await withProposal();
    const lock = await locked(table);
    const committing = decide(leaving, one, 'commit').catch(() => null);
    const pid = await lock.waiting();
    await leaving.kill();
    await committing;
    await terminate(pid);
    await lock.release();
    expect([await worldOf(one.id), await statusOf(one)]).toEqual([before, 'open']);
    expect(await auditOf(one.id, 'proposal.commit')).toBe(0);
    await forgetWriter(one.id);
    expect((await decide(survivor, one, 'commit')).status).toBe(200);
    expect([await worldOf(one.id), await statusOf(one)]).toEqual([after, 'committed']);
    expect(await workingCopyOf(one.id)).toEqual(after);
    expect(await auditOf(one.id, 'proposal.commit')).toBe(1);
    await leaving[Symbol.asyncDispose]();
  },
  60_000,
);

test.each([
  ['commit', 'reject', 'rejected', before],
  ['reject', 'commit', 'committed', after],
] as const)(
  'a proposal whose %s is cut by the death of its replica is decided once, by another replica that was asked to %s it meanwhile',
  async (first, second, status, world) => {
    const leaving = await start();
    const one = await withProposal();
    const lock = await locked('proposal_changes');
    const cut = decide(leaving, one, first).catch(() => null);
    const pid = await lock.waiting();
    const other = decide(survivor, one, second);
    await leaving.kill();
    await cut;
    await terminate(pid);
    await forgetWriter(one.id);
    await lock.release();
    expect((await other).status).toBe(200);
    expect([await statusOf(one), await worldOf(one.id), await workingCopyOf(one.id)]).toEqual([status, world, world]);
    const entries = ['proposal.commit', 'proposal.reject'].map((operation) => auditOf(one.id, operation));
    expect(await Promise.all(entries)).toEqual(second === 'commit' ? [1, 0] : [0, 1]);
    expect((await decide(survivor, one, first)).status).toBe(409);
    await leaving[Symbol.asyncDispose]();
  },
  120_000,
);

test('a rejection whose replica is killed while it puts the working copy back is finished by another replica', async () => {
  const leaving = await start();
  const one = await withProposal();
  const agent = await agentOf(survivor, one.id);
  process.kill(agent, 'SIGSTOP');
  const rejecting = decide(leaving, one, 'reject').catch(() => null);
  await eventually(async () => expect(await statusOf(one)).toBe('rejected'));
  await leaving.kill();
  await rejecting;
  process.kill(agent, 'SIGCONT');
  expect(await worldOf(one.id)).toEqual(before);
  await forgetWriter(one.id);
  await eventually(async () => expect(await workingCopyOf(one.id)).toEqual(before), 30_000);
  expect((await decide(survivor, one, 'reject')).status).toBe(200);
  expect([
    await worldOf(one.id),
    (await survivor.request('GET', `/v1/sessions/${one.id}/proposals`)).body.items.length,
  ]).toEqual([before, 1]);
  await leaving[Symbol.asyncDispose]();
}, 60_000);

test.each(['worlds', 'proposals', 'audit_entries'])(
  'a step whose replica is killed before it writes %s has its proposal once, by another replica',
  async (table) => {
    const leaving = await start();
    const { id } = await survivor.createSession({ policy: proposing, files: { a: '1' } });
    await leaving.runStep(id, { code: 'x = 1' });
    const [started, mayEnd] = [`/tmp/${id}-started`, `/tmp/${id}-may-end`];
    const stepping = leaving.runStep(id, {
      code: `import os, time
open("${started}", "w").close()
while not os.path.exists("${mayEnd}"): time.sleep(0.02)
os.remove("${mayEnd}"); os.remove("${started}"); open("a", "w").write("2")`,
    });
    const ended = stepping.catch(() => null);
    await eventually(() => expect(existsSync(started)).toBe(true), 20_000);
    const lock = await locked(table);
    writeFileSync(mayEnd, '');
    const pid = await lock.waiting();
    await leaving.kill();
    await ended;
    await terminate(pid);
    await lock.release();
    const step = await eventually(async () => {
      const { body } = await survivor.request('GET', `/v1/sessions/${id}/steps`);
      const last = body.items.at(-1);
      expect(last).toMatchObject({ status: 'succeeded' });
      return last;
    }, 60_000);
    expect(step).toMatchObject({ outcome: { tag: 'proposed' }, proposals: [{ number: 1, changes: [{ path: 'a' }] }] });
    const { items } = (await survivor.request('GET', `/v1/sessions/${id}/proposals`)).body;
    expect(items).toMatchObject([{ id: step.proposals[0].id, stepId: step.id, status: 'open' }]);
    expect(await worldOf(id)).toEqual({ a: `${text('1')} 0644` });
    await leaving[Symbol.asyncDispose]();
  },
  120_000,
);
