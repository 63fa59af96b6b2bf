import { createHash } from 'node:crypto';
import { artifactIdFor, newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Contents, ContentTooLarge, createContents } from '../../src/contents/contents.ts';
import type { ObjectStore } from '../../src/contents/object-store.ts';
import { createPostgresStore } from '../../src/contents/postgres-store.ts';
import { recordArtifacts } from '../../src/registry/artifacts/record-artifacts.ts';
import type { Database } from '../../src/registry/connect.ts';
import { disownContents } from '../../src/registry/contents/disown-contents.ts';
import { finishContent } from '../../src/registry/contents/finish-content.ts';
import { insertContent } from '../../src/registry/contents/insert-content.ts';
import { takeStaleContents } from '../../src/registry/contents/take-stale-contents.ts';
import { touchUnfinishedContent } from '../../src/registry/contents/touch-unfinished-content.ts';
import { putWorldFile } from '../../src/registry/world-files/put-world-file.ts';
import { removeWorldFiles } from '../../src/registry/world-files/remove-world-files.ts';
import { chunksOf, readAll, someBytes } from '../support/byte-source.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

const large = 3 * 512 * 1024 + 5;
const options = { bytesMax: 2 ** 30 };

let database: TestDatabase;
let db: Database;
let store: ObjectStore;
let contents: Contents;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  db = database.db;
  store = createPostgresStore({ db });
  contents = createContents({ db, stores: [store], store });
});
beforeEach(async () => {
  await db.sql`truncate sessions, contents cascade`;
});
afterAll(() => database.drop());

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const readContent = async (sha256: string) =>
  readAll((await contents.open(sha256))?.read() ?? chunksOf(Buffer.alloc(0)));
/** Objects, with and without a name, and what they have in the store. */
const stored = async () => {
  const [row] = await db.sql`select count(*)::int as objects, count(sha256)::int as named,
    (select count(*)::int from content_pieces) as pieces from contents`;
  return row;
};
const age = (minutes: number) => db.sql`update contents set touched_at = touched_at - ${minutes} * interval '1 minute'`;
/** Waits until so many statements wait for a lock. */
const waiting = (count: number) =>
  eventually(async () => {
    const [row] = await db.sql`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    expect(row?.count).toBe(count);
  });

describe('keeping', () => {
  test.each([0, 1, 512 * 1024, 512 * 1024 + 1, large])('%i bytes come back under their digest', async (size) => {
    const bytes = someBytes(size, 'keep');
    expect(await contents.keep(chunksOf(bytes), options)).toEqual({ sha256: sha256Of(bytes), size });
    const opened = await contents.open(sha256Of(bytes));
    expect(opened?.size).toBe(size);
    expect((await readContent(sha256Of(bytes))).equals(bytes)).toBe(true);
    if (size > 1)
      expect(await readAll(opened?.read({ start: 1, end: 2 }) ?? chunksOf(bytes))).toEqual(bytes.subarray(1, 2));
  });

  test('what was never kept is not there', async () => {
    expect(await contents.open(sha256Of(Buffer.from('nothing')))).toBeNull();
  });

  test.each([100, large])(
    'the same %i bytes are stored once, also where eight keep them at the same time',
    async (size) => {
      const bytes = someBytes(size, 'same');
      await contents.keep(chunksOf(bytes), options);
      const once = await stored();
      const kept = await Promise.all(Array.from({ length: 8 }, () => contents.keep(chunksOf(bytes), options)));
      expect(new Set(kept.map(({ sha256 }) => sha256))).toEqual(new Set([sha256Of(bytes)]));
      expect(await stored()).toEqual(once);
    },
  );

  test.each([100, large])('eight who are the first to keep the same %i bytes share one object', async (size) => {
    const bytes = someBytes(size, 'first');
    await Promise.all(Array.from({ length: 8 }, () => contents.keep(chunksOf(bytes), options)));
    expect(await stored()).toEqual({ objects: 1, named: 1, pieces: Math.ceil(size / (512 * 1024)) });
    expect((await readContent(sha256Of(bytes))).equals(bytes)).toBe(true);
  });

  test.each([100, large])(
    'whoever finishes second with the same %i bytes refers to those of the first',
    async (size) => {
      const bytes = someBytes(size, 'finishing');
      const first = await db.sql.reserve();
      await first`begin`;
      await first`insert into contents (id, sha256, size, store)
      values ('obj_first', decode(${sha256Of(bytes)}, 'hex'), ${size}, 'postgres')`;
      const second = contents.keep(chunksOf(bytes), options);
      await waiting(1);
      await first`commit`;
      first.release();
      await second;
      expect(await stored()).toEqual({ objects: 1, named: 1, pieces: 0 });
    },
  );

  test('one byte more than allowed is refused, and leaves nothing behind', async () => {
    for (const size of [100, large]) {
      const refused = contents.keep(chunksOf(someBytes(size, 'limit')), { bytesMax: size - 1 });
      await expect(refused).rejects.toThrow(ContentTooLarge);
      expect(await stored()).toEqual({ objects: 0, named: 0, pieces: 0 });
    }
    await contents.keep(chunksOf(someBytes(100, 'limit')), { bytesMax: 100 });
  });

  test('a source that fails, or gives nothing until the signal, leaves nothing behind', async () => {
    const failure = new Error('cut off');
    await expect(contents.keep(chunksOf(someBytes(large, 'cut'), { failure }), options)).rejects.toBe(failure);
    const abort = new AbortController();
    async function* silent() {
      yield* chunksOf(someBytes(large, 'cut'));
      abort.abort(new Error('nobody waits'));
      await new Promise(() => {});
    }
    await expect(contents.keep(silent(), { ...options, signal: abort.signal })).rejects.toThrow('nobody waits');
    expect(await stored()).toEqual({ objects: 0, named: 0, pieces: 0 });
  });
});

describe('a sweep', () => {
  test('leaves what an artifact or a world refers to, however old it is', async () => {
    const session = await activeSession(db);
    const world = await contents.keep(chunksOf(someBytes(large, 'world')), options);
    const output = await contents.keep(chunksOf(someBytes(10, 'artifact')), options);
    await putWorldFile(db, { sessionId: session.id, path: 'a', ...world });
    await recordArtifacts(db, {
      sessionId: session.id,
      artifacts: [artifactOf(output)],
      world: { put: [], remove: [] },
    });
    await age(100_000);
    expect(await contents.sweep()).toBe(0);
    expect(await stored()).toEqual({ objects: 2, named: 2, pieces: 5 });
  });

  test('takes what nothing refers to once nobody has wanted it for an hour, an hour after it can no longer be found', async () => {
    const session = await activeSession(db);
    const content = await contents.keep(chunksOf(someBytes(large, 'old')), options);
    await putWorldFile(db, { sessionId: session.id, path: 'a', ...content });
    await age(100_000);
    await removeWorldFiles(db, { sessionId: session.id, path: 'a' });
    const reading = await contents.open(content.sha256);
    expect(await contents.sweep()).toBe(0);
    expect(await contents.open(content.sha256)).toBeNull();
    expect(await readAll(reading?.read() ?? chunksOf(Buffer.alloc(0)))).toHaveLength(large);
    await age(59);
    expect(await contents.sweep()).toBe(0);
    await age(2);
    expect(await contents.sweep()).toBe(1);
    expect(await stored()).toEqual({ objects: 0, named: 0, pieces: 0 });
  });

  test('leaves what was kept, or kept again, within the hour', async () => {
    const [small, big] = [someBytes(10, 'young'), someBytes(large, 'young')];
    for (const bytes of [small, big]) await contents.keep(chunksOf(bytes), options);
    await age(120);
    for (const bytes of [small, big]) await contents.keep(chunksOf(bytes), options);
    await age(59);
    expect(await contents.sweep()).toBe(0);
    expect(await stored()).toEqual({ objects: 2, named: 2, pieces: 5 });
  });

  test('takes what a replica left behind that died while it wrote, and only once it must be dead', async () => {
    const id = newId('obj');
    await insertContent(db, { id, store: 'postgres' });
    await store.put(id, chunksOf(someBytes(large, 'dead')));
    await age(59);
    expect(await contents.sweep()).toBe(0);
    await age(2);
    expect(await contents.sweep()).toBe(1);
    expect(await stored()).toEqual({ objects: 0, named: 0, pieces: 0 });
  });

  test('that takes an object while it is still being written fails that keep, and nothing half remains', async () => {
    async function* slow() {
      yield* chunksOf(someBytes(large, 'slow'));
      await age(120);
      expect(await contents.sweep()).toBe(1);
    }
    await expect(contents.keep(slow(), options)).rejects.toThrow();
    expect(await stored()).toEqual({ objects: 0, named: 0, pieces: 0 });
  });

  test('gives an object up before it removes its bytes: from then on nobody can finish it', async () => {
    const id = newId('obj');
    await insertContent(db, { id, store: 'postgres' });
    expect(await touchUnfinishedContent(db, { id })).toBe(true);
    await age(61);
    expect(await takeStaleContents(db, { store: 'postgres', limit: 10 })).toEqual([id]);
    expect(await touchUnfinishedContent(db, { id })).toBe(false);
    expect(await finishContent(db, { id, sha256: sha256Of(Buffer.from('late')), size: 4 })).toBe('gone');
    expect(await contents.sweep()).toBe(1);
  });

  test('looks at all contents in turns, however many are referred to', async () => {
    const session = await activeSession(db);
    for (const name of ['a', 'b', 'c']) {
      await putWorldFile(db, {
        sessionId: session.id,
        path: name,
        ...(await contents.keep(chunksOf(Buffer.from(name)), options)),
      });
    }
    for (const name of ['d', 'e', 'f', 'g']) await contents.keep(chunksOf(Buffer.from(name)), options);
    await age(120);
    let turns = 0;
    for (let after: string | null = ''; after !== null; turns++) after = await disownContents(db, { after, limit: 2 });
    expect(turns).toBe(4);
    expect(await stored()).toMatchObject({ objects: 7, named: 3 });
  });
});

describe('a keep that meets a sweep', () => {
  test.each([10, large])('and comes second keeps its %i bytes as a new object', async (size) => {
    const bytes = someBytes(size, 'second');
    const { sha256 } = await contents.keep(chunksOf(bytes), options);
    const sweeping = await db.sql.reserve();
    await sweeping`begin`;
    await sweeping`update contents set sha256 = null, touched_at = now()`;
    const keeping = contents.keep(chunksOf(bytes), options);
    await waiting(1);
    await sweeping`commit`;
    sweeping.release();
    await keeping;
    expect((await readContent(sha256)).equals(bytes)).toBe(true);
    expect(await stored()).toMatchObject({ objects: 2, named: 1 });
  });

  test.each([10, large])('and comes first has its %i bytes left alone', async (size) => {
    const bytes = someBytes(size, 'before');
    const { sha256 } = await contents.keep(chunksOf(bytes), options);
    await age(120);
    const keeping = await db.sql.reserve();
    await keeping`begin`;
    await keeping`update contents set touched_at = now()`;
    expect(await contents.sweep()).toBe(0);
    await keeping`commit`;
    keeping.release();
    expect(await contents.sweep()).toBe(0);
    expect((await readContent(sha256)).equals(bytes)).toBe(true);
  });

  test('a reference that is about to be committed keeps a content that is old', async () => {
    const session = await activeSession(db);
    const content = await contents.keep(chunksOf(someBytes(10, 'reference')), options);
    await age(120);
    const referring = await db.sql.reserve();
    await referring`begin`;
    await referring`insert into world_files (session_id, path, size, sha256)
      values (${session.id}, 'a', 10, decode(${content.sha256}, 'hex'))`;
    await contents.sweep();
    await referring`commit`;
    referring.release();
    await contents.sweep();
    expect(await readContent(content.sha256)).toHaveLength(10);
  });

  test('again and again, at any instant, can refer to what it kept and read it', async () => {
    const session = await activeSession(db);
    for (let round = 0; round < 25; round++) {
      const bytes = someBytes(round % 4 === 0 ? large : 10, 'race');
      const sweeps = [contents.sweep(), contents.sweep()];
      const content = await contents.keep(chunksOf(bytes), options);
      await putWorldFile(db, { sessionId: session.id, path: 'a', ...content });
      await Promise.all(sweeps);
      expect((await readContent(content.sha256)).equals(bytes)).toBe(true);
      await removeWorldFiles(db, { sessionId: session.id, path: 'a' });
      await age(61);
    }
  });
});

test('nothing can refer to a content that is not there', async () => {
  const session = await activeSession(db);
  const missing = { sha256: sha256Of(Buffer.from('missing')), size: 7 };
  await expect(putWorldFile(db, { sessionId: session.id, path: 'a', ...missing })).rejects.toThrow();
  const artifacts = [artifactOf(missing)];
  await expect(
    recordArtifacts(db, { sessionId: session.id, artifacts, world: { put: [], remove: [] } }),
  ).rejects.toThrow();
});

test('contents stay where they were written when new ones go to another store', async () => {
  const bytes = someBytes(large, 'moved');
  const { sha256 } = await contents.keep(chunksOf(bytes), options);
  const refused = () => Promise.reject(new Error('not here'));
  const s3: ObjectStore = { name: 's3', put: refused, get: () => chunksOf(Buffer.alloc(0)), delete: refused };
  const both = createContents({ db, stores: [s3, store], store: s3 });
  expect(await readAll((await both.open(sha256))?.read() ?? chunksOf(bytes.subarray(1)))).toEqual(bytes);
  await expect(both.keep(chunksOf(someBytes(10, 'new')), options)).rejects.toThrow('not here');
  expect(await both.keep(chunksOf(bytes.subarray(0, large)), options).catch((error) => error.message)).toBe('not here');
  const alone = createContents({ db, stores: [s3], store: s3 });
  await expect(alone.open(sha256)).rejects.toMatchObject({ slug: 'storage-unavailable' });
});

function artifactOf({ sha256, size }: { sha256: string; size: number }) {
  const stepId = newId('stp');
  const what = { role: 'output', change: 'created', mimeType: null, concurrent: false, omission: null } as const;
  return { id: artifactIdFor(stepId, 'output', 'a'), stepId, path: 'a', size, sha256, ...what };
}
