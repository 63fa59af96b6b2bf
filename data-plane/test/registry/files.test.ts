import { createHash, randomBytes } from 'node:crypto';
import { artifactIdFor, newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findArtifact } from '../../src/registry/artifacts/find-artifact.ts';
import { findArtifactByPath } from '../../src/registry/artifacts/find-artifact-by-path.ts';
import { listArtifacts } from '../../src/registry/artifacts/list-artifacts.ts';
import { type NewArtifact, recordArtifacts } from '../../src/registry/artifacts/record-artifacts.ts';
import type { Database } from '../../src/registry/connect.ts';
import { storeSmallContent } from '../../src/registry/contents/store-small-content.ts';
import { registerReplica } from '../../src/registry/replicas/register-replica.ts';
import { purgeHistory } from '../../src/registry/sessions/purge-history.ts';
import { claimWorld, type WorldClaim } from '../../src/registry/world-files/claim-world.ts';
import { directoriesOf } from '../../src/registry/world-files/directories-of.ts';
import { listUnsettledWorlds } from '../../src/registry/world-files/list-unsettled-worlds.ts';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { moveWorldFiles } from '../../src/registry/world-files/move-world-files.ts';
import { recordChanges } from '../../src/registry/world-files/record-changes.ts';
import { removeWorldFiles } from '../../src/registry/world-files/remove-world-files.ts';
import { listWorldDirectories } from '../../src/registry/world-files/world-directories.ts';
import { readWorldVersion } from '../../src/registry/world-files/world-version.ts';
import { retentionOf } from '../../src/sessions/retention.ts';
import { createWorlds } from '../../src/world/create-worlds.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, claimOf, putWorldFile, storedStep } from '../support/registry-rows.ts';

const unbounded = { bytesPerSessionMax: 2 ** 40, bytesPerTenantMax: 2 ** 40 };

let database: TestDatabase;
let db: Database;
let sessionId: string;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  db = database.db;
});
beforeEach(async () => {
  await database.owner.sql`truncate sessions, steps, contents cascade`;
  sessionId = (await activeSession(db)).id;
});
afterAll(() => database.drop());

const content = async (text: string) => {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await storeSmallContent(db, { id: newId('obj'), sha256, bytes });
  return { sha256, size: bytes.length };
};
const put = async (path: string, text = path) => putWorldFile(db, { sessionId, path, ...(await content(text)) });
const paths = async () => (await listWorldFiles(db, { sessionId })).map(({ path }) => path);
const artifact = (path: string, more: Partial<NewArtifact> = {}): NewArtifact => {
  const stepId = more.stepId ?? newId('stp');
  const role = more.role ?? 'output';
  const defaults = { change: 'created', size: null, sha256: null, mimeType: null } as const;
  return {
    id: artifactIdFor(stepId, role, path),
    stepId,
    path,
    role,
    ...defaults,
    concurrent: false,
    omission: null,
    ...more,
  };
};
/** Records changes under a claim of their own. */
const record = async (changes: Partial<Omit<Parameters<typeof recordChanges>[1], 'claim'>>) =>
  recordChanges(db, { artifacts: [], put: [], remove: [], ...changes, claim: await claimOf(db, sessionId) });

describe('the world', () => {
  test('has each file once, with its latest content, ordered by bytes', async () => {
    for (const path of ['b', 'a/z', 'a.txt', 'a-b', 'ä', 'B']) await put(path);
    await put('b', 'another');
    expect(await paths()).toEqual(['B', 'a-b', 'a.txt', 'a/z', 'b', 'ä']);
    expect((await listWorldFiles(db, { sessionId })).find(({ path }) => path === 'b')).toEqual({
      path: 'b',
      ...(await content('another')),
      executable: false,
      mode: null,
      target: null,
    });
  });

  test('is always a tree: a file replaces a directory at its path, and a directory a file', async () => {
    for (const path of ['a/b/c', 'a/d', 'a.txt', 'a0']) await put(path);
    await put('a');
    expect(await paths()).toEqual(['a', 'a.txt', 'a0']);
    await put('a/b/c');
    expect(await paths()).toEqual(['a.txt', 'a/b/c', 'a0']);
  });

  test('loses a path and everything below it, but no path that merely begins with the same characters', async () => {
    for (const path of ['a', 'b/c', 'b/d/e', 'b.c', 'b0', 'bc']) await put(path);
    await removeWorldFiles(db, { claim: await claimOf(db, sessionId), path: 'b' });
    expect(await paths()).toEqual(['a', 'b.c', 'b0', 'bc']);
    await removeWorldFiles(db, { claim: await claimOf(db, sessionId), path: 'a' });
    await removeWorldFiles(db, { claim: await claimOf(db, sessionId), path: '' });
    expect(await paths()).toEqual([]);
  });

  test('moves a path and everything below it, replaces the target, and allows any characters', async () => {
    for (const path of ['100%_\\x/ü', '100%_\\x/d/e', '100%_\\xy', 'to/old', 'to0']) await put(path);
    await moveWorldFiles(db, { claim: await claimOf(db, sessionId), from: '100%_\\x', to: 'to' });
    expect(await paths()).toEqual(['100%_\\xy', 'to/d/e', 'to/ü', 'to0']);
    await moveWorldFiles(db, { claim: await claimOf(db, sessionId), from: 'to/ü', to: 'to0' });
    expect(await paths()).toEqual(['100%_\\xy', 'to/d/e', 'to0']);
    expect((await listWorldFiles(db, { sessionId })).at(-1)?.sha256).toBe((await content('100%_\\x/ü')).sha256);
  });

  test('stays the same if a path is moved to itself, into itself or over one of its parents', async () => {
    await put('a/b');
    for (const [from, to] of [
      ['a', 'a'],
      ['a', 'a/c'],
      ['a/b', 'a'],
      ['', 'x'],
      ['a', ''],
    ] as const) {
      await moveWorldFiles(db, { claim: await claimOf(db, sessionId), from, to });
    }
    expect(await paths()).toEqual(['a/b']);
  });

  test('belongs to one session alone', async () => {
    const other = (await activeSession(db)).id;
    await put('a');
    await removeWorldFiles(db, { claim: await claimOf(db, other), path: 'a' });
    await moveWorldFiles(db, { claim: await claimOf(db, other), from: 'a', to: 'b' });
    expect(await paths()).toEqual(['a']);
    expect(await listWorldFiles(db, { sessionId: other })).toEqual([]);
  });

  test('ignores a file of a deleted session', async () => {
    await db.sql`delete from sessions`;
    await put('a');
    expect(await paths()).toEqual([]);
  });
});

describe('the directories of a world', () => {
  const directories = () => listWorldDirectories(db, { sessionId });
  const change = (changes: { put?: string[]; remove?: string[] }) =>
    record({ directories: { put: [], remove: [], ...changes } });

  test('are those of its files, and those that were recorded', async () => {
    await put('a/b/c');
    await change({ put: ['d', 'd/e', 'a', ''] });
    expect(await directories()).toEqual(['a', 'a/b', 'd', 'd/e']);
    await record({ remove: ['a/b/c'] });
    expect([await paths(), await directories()]).toEqual([[], ['a', 'a/b', 'd', 'd/e']]);
    await change({ put: ['d/e'], remove: ['d', 'd/e', 'a/b'] });
    expect(await directories()).toEqual(['a', 'd/e']);
  });

  test('form a tree with the files: each replaces the other', async () => {
    for (const path of ['a/b/c', 'a-b/c']) await put(path);
    await put('a');
    expect([await paths(), await directories()]).toEqual([['a', 'a-b/c'], ['a-b']]);
    await change({ put: ['a', 'a/d'] });
    expect([await paths(), await directories()]).toEqual([['a-b/c'], ['a', 'a-b', 'a/d']]);
    const file = { path: 'x', ...(await content('x')) };
    await record({ put: [file], directories: { put: ['x', 'x/y', 'xy'], remove: [] } });
    expect([await paths(), await directories()]).toEqual([
      ['a-b/c', 'x'],
      ['a', 'a-b', 'a/d', 'xy'],
    ]);
  });

  test('are moved and removed with everything below them', async () => {
    await put('a/b/c');
    await change({ put: ['a/e', 'a/e/f', 'a-e', 'to/old'] });
    await moveWorldFiles(db, { claim: await claimOf(db, sessionId), from: 'a', to: 'to' });
    expect([await paths(), await directories()]).toEqual([['to/b/c'], ['a-e', 'to', 'to/b', 'to/e', 'to/e/f']]);
    await moveWorldFiles(db, { claim: await claimOf(db, sessionId), from: 'to/e', to: 'new/one' });
    expect(await directories()).toEqual(['a-e', 'new', 'new/one', 'new/one/f', 'to', 'to/b']);
    await removeWorldFiles(db, { claim: await claimOf(db, sessionId), path: 'to' });
    await removeWorldFiles(db, { claim: await claimOf(db, sessionId), path: 'new/one/f' });
    expect([await paths(), await directories()]).toEqual([[], ['a-e', 'new', 'new/one']]);
  });

  test('have no path that is too long for the index, also if one is moved', async () => {
    const deep = (names: number) => Array.from({ length: names }, () => randomBytes(100).toString('hex')).join('/');
    const [below, to] = [deep(8), deep(8)];
    expect(await change({ put: [deep(15), 'a', `a/${below}`] })).toBe(true);
    expect(await directories()).toEqual(['a', `a/${below}`]);
    expect(await moveWorldFiles(db, { claim: await claimOf(db, sessionId), from: 'a', to })).toBe(true);
    expect(await directories()).toEqual([...directoriesOf(to), to]);
  });

  test('are no more than 100,000', async () => {
    const many = Array.from({ length: 100_010 }, (_, number) => `d${String(number).padStart(6, '0')}`);
    expect(await change({ put: many })).toBe(true);
    const first = await directories();
    expect(first).toHaveLength(100_000);
    expect(await change({ put: ['more', many[0] as string] })).toBe(true);
    expect(await directories()).toEqual(first);
    await change({ remove: [many[0] as string] });
    await change({ put: ['more'] });
    expect(await directories()).toHaveLength(100_000);
  }, 60_000);

  test('and executable files are part of its version', async () => {
    const versions: string[] = [];
    const note = async () => versions.push((await readWorldVersion(db, { sessionId })).version);
    const file = { path: 'run', ...(await content('run')) };
    await record({ put: [file] });
    await note();
    await record({ put: [{ ...file, executable: true }] });
    await note();
    await change({ put: ['d'] });
    await note();
    await record({ put: [{ ...file, executable: false }] });
    await note();
    await change({ remove: ['d'] });
    await note();
    expect(new Set(versions).size).toBe(4);
    expect(versions.at(-1)).toBe(versions[0]);
  });

  test('a file that is replaced stays executable if nothing is known about it', async () => {
    const run = { path: 'run', ...(await content('run')) };
    const executable = async () => (await listWorldFiles(db, { sessionId })).map((file) => file.executable);
    await record({ put: [{ ...run, executable: true }] });
    await record({ put: [{ ...run, ...(await content('other')) }] });
    expect(await executable()).toEqual([true]);
    await record({ put: [{ ...run, executable: false }] });
    expect(await executable()).toEqual([false]);
  });
});

describe('the lock of a world', () => {
  /** The writes of a replica of its own. A world that is not marked is never compared, so no agent is asked. */
  const writerOf = async () => {
    const replicaId = newId('rep');
    await registerReplica(db, { id: replicaId, slot: replicaId });
    const limits = { keptFileBytesMax: 1, keptStepBytesMax: 1, keptSessionBytesMax: 1, uploadBytesMax: 1 };
    const worlds = createWorlds({ db, replicaId, limits } as unknown as Parameters<typeof createWorlds>[0]);
    return (work: (claim: WorldClaim) => Promise<boolean>) =>
      worlds.write({ sessionId, route: null }, ({ claim }) => work(claim));
  };

  test('keeps the world a tree if two replicas write at the same time', async () => {
    const [one, other] = [await writerOf(), await writerOf()];
    const [file, below] = [await content('file'), await content('below')];
    const putting = (path: string, stored: typeof file) => (claim: WorldClaim) =>
      recordChanges(db, { claim, artifacts: [], put: [{ path, ...stored }], remove: [] });
    for (let round = 0; round < 100; round++) {
      await Promise.all([one(putting('d', file)), other(putting('d/f', below))]);
      expect(['d', 'd/f']).toEqual(expect.arrayContaining(await paths()));
      expect(await paths()).toHaveLength(1);
      await Promise.all([
        one((claim) => moveWorldFiles(db, { claim, from: 'd', to: 'e' })),
        other(putting('e', below)),
        other(putting('e/f', below)),
      ]);
      expect((await paths()).filter((path) => path.startsWith('e'))).toHaveLength(1);
      await one(async (claim) => (await removeWorldFiles(db, { claim, path: '' })) !== null);
    }
  });

  test('is held by a live replica, and a write whose claim was taken over changes nothing', async () => {
    const replicaId = newId('rep');
    await registerReplica(db, { id: replicaId, slot: replicaId });
    await put('a');
    const first = (await claimWorld(db, { sessionId, writer: 'first', replicaId })) as WorldClaim;
    const next = { sessionId, writer: 'next', replicaId: newId('rep') };
    expect([first.isUnsettled, await claimWorld(db, next)]).toEqual([false, 'held']);
    await db.sql`update replicas set heartbeat_at = now() - interval '1 minute' where id = ${replicaId}`;
    const second = (await claimWorld(db, next)) as WorldClaim;
    expect(second.isUnsettled).toBe(true);
    const stored = await content('b');
    const late = [
      await recordChanges(db, {
        claim: first,
        artifacts: [artifact('b')],
        put: [{ path: 'b', ...stored }],
        remove: ['a'],
      }),
      await removeWorldFiles(db, { claim: first, path: 'a' }),
      await moveWorldFiles(db, { claim: first, from: 'a', to: 'b' }),
    ];
    expect(late).toEqual([false, null, false]);
    expect([await paths(), (await listArtifacts(db, { sessionId, limit: 10 })).items]).toEqual([['a'], []]);
    expect(await removeWorldFiles(db, { claim: second, path: 'a' })).toBe('removed');
  });

  test('leaves the mark if a write fails after it may have changed the working copy, and only then', async () => {
    const [write, marked] = [await writerOf(), () => listUnsettledWorlds(db, { replicaId: '', limit: 10 })];
    const failing = () => Promise.reject(new Error('failed'));
    await expect(write(failing)).rejects.toThrow('failed');
    expect(await marked()).toEqual([]);
    const worlds = createWorlds({ db, replicaId: newId('rep') } as unknown as Parameters<typeof createWorlds>[0]);
    const touching = worlds.write({ sessionId, route: null }, ({ touch }) => touch(failing, { leavesAll: () => true }));
    await expect(touching).rejects.toThrow('failed');
    expect(await marked()).toEqual([sessionId]);
  });
});

describe('recording artifacts', () => {
  test('writes artifacts and the world together, and has the same effect when repeated', async () => {
    await put('gone');
    await put('stays');
    const added = await content('new');
    const artifacts = [artifact('new', added), artifact('gone', { change: 'deleted' })];
    const changes = { artifacts, put: [{ path: 'new', ...added }], remove: ['gone'] };
    expect([await record(changes), await record(changes)]).toEqual([true, true]);
    expect(await paths()).toEqual(['new', 'stays']);
    expect((await listArtifacts(db, { sessionId, limit: 10 })).items.map(({ path }) => path).sort()).toEqual([
      'gone',
      'new',
    ]);
  });

  test('is all or nothing', async () => {
    const bad = { path: 'bad', sha256: 'ab'.repeat(32), size: 1 };
    const good = { path: 'good', ...(await content('good')) };
    await expect(record({ artifacts: [artifact('good', good)], put: [good, bad] })).rejects.toThrow();
    expect(await paths()).toEqual([]);
    expect((await listArtifacts(db, { sessionId, limit: 10 })).items).toEqual([]);
  });

  test('uses the last of two artifacts with one path, and prefers put to remove', async () => {
    const [first, last] = [await content('first'), await content('last')];
    const stepId = newId('stp');
    await put('a/b');
    await record({
      artifacts: [artifact('a', { stepId, ...first }), artifact('a', { stepId, ...last })],
      put: [
        { path: 'a', ...first },
        { path: 'a', ...last },
      ],
      remove: ['a', 'a/b'],
    });
    expect(await listWorldFiles(db, { sessionId })).toEqual([
      { path: 'a', ...last, executable: false, mode: null, target: null },
    ]);
    expect((await listArtifacts(db, { sessionId, limit: 10 })).items).toMatchObject([{ path: 'a', size: 4 }]);
  });

  test('never changes an artifact of another session', async () => {
    const other = (await activeSession(db)).id;
    const mine = artifact('a', { size: 1 });
    await recordArtifacts(db, { sessionId, artifacts: [mine] });
    await recordArtifacts(db, { sessionId: other, artifacts: [{ ...mine, size: 2 }] });
    expect(await findArtifact(db, { sessionId, id: mine.id })).toMatchObject({ size: 1 });
    expect(await findArtifact(db, { sessionId: other, id: mine.id })).toBeNull();
  });

  test('writes ten thousand files in one transaction, even beside as many others', async () => {
    const same = await content('same');
    const many = (folder: string) =>
      Array.from({ length: 10_000 }, (_, index) => ({ path: `${folder}/${index}`, ...same }));
    for (const folder of ['a', 'b']) {
      const files = many(folder);
      await record({
        artifacts: files.map(({ path }) => artifact(path, { stepId: 'stp_one', ...same })),
        put: files,
      });
    }
    expect(await paths()).toHaveLength(20_000);
  });
});

describe('finding artifacts', () => {
  test('by path returns the first of the roles that has the path', async () => {
    const stepId = newId('job');
    const both = [
      artifact('x', { stepId, role: 'input', size: 1 }),
      artifact('x', { stepId, role: 'output', size: 2 }),
    ];
    await recordArtifacts(db, { sessionId, artifacts: both });
    const find = (roles: ('input' | 'output' | 'stdout')[]) =>
      findArtifactByPath(db, { sessionId, stepId, path: 'x', roles });
    expect(await find(['stdout', 'output', 'input'])).toMatchObject({ size: 2 });
    expect(await find(['input', 'output'])).toMatchObject({ size: 1 });
    expect(await find(['stdout'])).toBeNull();
  });

  test('lists each artifact on exactly one page, even those of the same instant, and can list one step alone', async () => {
    const stepId = newId('stp');
    const artifacts = Array.from({ length: 7 }, (_, index) => artifact(`f${index}`, index % 2 ? {} : { stepId }));
    await recordArtifacts(db, { sessionId, artifacts });
    await recordArtifacts(db, { sessionId, artifacts: [artifact('last', { stepId })] });
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const { items, nextCursor } = await listArtifacts(db, { sessionId, limit: 3, cursor });
      seen.push(...items.map(({ path }) => path));
      more = nextCursor !== null;
      cursor = nextCursor ?? undefined;
    }
    expect(seen.toSorted()).toEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'last']);
    const ofStep = await listArtifacts(db, { sessionId, stepId, limit: 10 });
    expect(ofStep.items.map(({ path }) => path).toSorted()).toEqual(['f0', 'f2', 'f4', 'f6', 'last']);
  });
});

test('artifacts are deleted with their purged step, and with their session', async () => {
  const steps = [];
  for (const number of [1, 2, 3]) steps.push(await storedStep(db, { sessionId, number }));
  await db.sql`update sessions set step_count = 3`;
  const artifacts = steps.map(({ id: stepId, number }) => artifact(`f${number}`, { stepId }));
  await recordArtifacts(db, { sessionId, artifacts: [...artifacts, artifact('early')] });
  expect(
    await purgeHistory(db, retentionOf({ ...unbounded, stepsPerSessionMax: 1, retentionSeconds: 3600 })),
  ).toMatchObject({
    steps: 2,
  });
  const left = (await listArtifacts(db, { sessionId, limit: 10 })).items.map(({ path }) => path);
  expect(left.toSorted()).toEqual(['early', 'f3']);
  await db.sql`delete from sessions`;
  const [row] = await db.sql`select count(*)::int as count from artifacts`;
  expect(row?.count).toBe(0);
});
