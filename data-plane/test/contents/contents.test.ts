import { createHash } from 'node:crypto';
import { artifactIdFor, newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Contents, createContents } from '../../src/contents/contents.ts';
import { ContentTooLarge } from '../../src/contents/meter.ts';
import type { ObjectStore } from '../../src/contents/object-store.ts';
import { createPostgresStore } from '../../src/contents/postgres-store.ts';
import { recordArtifacts } from '../../src/registry/artifacts/record-artifacts.ts';
import type { Database } from '../../src/registry/connect.ts';
import { finishContent } from '../../src/registry/contents/finish-content.ts';
import { hideUnreferencedContents } from '../../src/registry/contents/hide-unreferenced-contents.ts';
import { insertContent } from '../../src/registry/contents/insert-content.ts';
import { markContentsForDeletion } from '../../src/registry/contents/mark-contents-for-deletion.ts';
import { touchUnfinishedContent } from '../../src/registry/contents/touch-unfinished-content.ts';
import { removeWorldFiles } from '../../src/registry/world-files/remove-world-files.ts';
import { chunksOf, readAll, someBytes } from '../support/byte-source.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, claimOf, putWorldFile } from '../support/registry-rows.ts';

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
  await database.owner.sql`truncate sessions, steps, contents cascade`;
});
afterAll(() => database.drop());

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const readContent = async (sha256: string) =>
  readAll((await contents.open(sha256))?.read() ?? chunksOf(Buffer.alloc(0)));
/** The number of objects, of those that have a hash, and of their pieces in the store. */
const stored = async () => {
  const [row] = await db.sql`select count(*)::int as objects, count(sha256)::int as hashed,
    (select count(*)::int from content_pieces) as pieces from contents`;
  return row;
};
const age = (minutes: number) => db.sql`update contents set touched_at = touched_at - ${minutes} * interval '1 minute'`;
/** Waits until this many statements wait for a lock. */
const waiting = (count: number) =>
  eventually(async () => {
    const [row] = await db.sql`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    expect(row?.count).toBe(count);
  });

describe('storing', () => {
  test.each([0, 1, 512 * 1024, 512 * 1024 + 1, large])('returns %i bytes under their hash', async (size) => {
    const bytes = someBytes(size, 'store');
    expect(await contents.store(chunksOf(bytes), options)).toEqual({ sha256: sha256Of(bytes), size });
    const opened = await contents.open(sha256Of(bytes));
    expect(opened?.size).toBe(size);
    expect((await readContent(sha256Of(bytes))).equals(bytes)).toBe(true);
    const second = { start: Math.min(1, size), end: Math.min(2, size) };
    expect(await readAll(opened?.read(second) ?? chunksOf(bytes))).toEqual(bytes.subarray(1, 2));
  });

  test('does not find a content that was never stored', async () => {
    expect(await contents.open(sha256Of(Buffer.from('nothing')))).toBeNull();
  });

  test.each([100, large])(
    'stores the same %i bytes once, even if eight callers do so at the same time',
    async (size) => {
      const bytes = someBytes(size, 'same');
      await contents.store(chunksOf(bytes), options);
      const once = await stored();
      const again = await Promise.all(Array.from({ length: 8 }, () => contents.store(chunksOf(bytes), options)));
      expect(new Set(again.map(({ sha256 }) => sha256))).toEqual(new Set([sha256Of(bytes)]));
      expect(await stored()).toEqual(once);
    },
  );

  test.each([100, large])(
    'stores one object if eight callers are the first to store the same %i bytes',
    async (size) => {
      const bytes = someBytes(size, 'first');
      await Promise.all(Array.from({ length: 8 }, () => contents.store(chunksOf(bytes), options)));
      expect(await stored()).toEqual({ objects: 1, hashed: 1, pieces: Math.ceil(size / (512 * 1024)) });
      expect((await readContent(sha256Of(bytes))).equals(bytes)).toBe(true);
    },
  );

  test.each([100, large])('uses the object of the writer that finished the same %i bytes first', async (size) => {
    const bytes = someBytes(size, 'finishing');
    const first = db.connectAlone();
    await first`begin`;
    await first`insert into contents (id, sha256, size, store)
      values ('obj_first', decode(${sha256Of(bytes)}, 'hex'), ${size}, 'postgres')`;
    const second = contents.store(chunksOf(bytes), options);
    await waiting(1);
    await first`commit`;
    await first.end();
    await second;
    expect(await stored()).toEqual({ objects: 1, hashed: 1, pieces: 0 });
  });

  test('rejects one byte more than allowed, and leaves nothing behind', async () => {
    for (const size of [100, large]) {
      const refused = contents.store(chunksOf(someBytes(size, 'limit')), { bytesMax: size - 1 });
      await expect(refused).rejects.toThrow(ContentTooLarge);
      expect(await stored()).toEqual({ objects: 0, hashed: 0, pieces: 0 });
    }
    await contents.store(chunksOf(someBytes(100, 'limit')), { bytesMax: 100 });
  });

  test('leaves nothing behind if the source fails, or gives nothing until the signal aborts', async () => {
    const failure = new Error('cut off');
    await expect(contents.store(chunksOf(someBytes(large, 'cut'), { failure }), options)).rejects.toBe(failure);
    const abort = new AbortController();
    async function* silent() {
      yield* chunksOf(someBytes(large, 'cut'));
      abort.abort(new Error('the caller left'));
      await new Promise(() => {});
    }
    await expect(contents.store(silent(), { ...options, signal: abort.signal })).rejects.toThrow('the caller left');
    expect(await stored()).toEqual({ objects: 0, hashed: 0, pieces: 0 });
  });
});

describe('collecting', () => {
  test('spares a content that an artifact or a world file refers to, however old it is', async () => {
    const session = await activeSession(db);
    const world = await contents.store(chunksOf(someBytes(large, 'world')), options);
    const output = await contents.store(chunksOf(someBytes(10, 'artifact')), options);
    await putWorldFile(db, { sessionId: session.id, path: 'a', ...world });
    await recordArtifacts(db, {
      sessionId: session.id,
      artifacts: [artifactOf(output)],
    });
    await age(100_000);
    expect(await contents.collect()).toBe(0);
    expect(await stored()).toEqual({ objects: 2, hashed: 2, pieces: 5 });
  });

  test('hides a content that was without references for an hour, and deletes it an hour later', async () => {
    const session = await activeSession(db);
    const content = await contents.store(chunksOf(someBytes(large, 'old')), options);
    await putWorldFile(db, { sessionId: session.id, path: 'a', ...content });
    await age(100_000);
    await removeWorldFiles(db, { claim: await claimOf(db, session.id), path: 'a' });
    const reading = await contents.open(content.sha256);
    expect(await contents.collect()).toBe(0);
    expect(await contents.open(content.sha256)).toBeNull();
    expect(await readAll(reading?.read() ?? chunksOf(Buffer.alloc(0)))).toHaveLength(large);
    await age(59);
    expect(await contents.collect()).toBe(0);
    await age(2);
    expect(await contents.collect()).toBe(1);
    expect(await stored()).toEqual({ objects: 0, hashed: 0, pieces: 0 });
  });

  test('spares a content that was stored, or stored again, within the hour', async () => {
    const [small, big] = [someBytes(10, 'young'), someBytes(large, 'young')];
    for (const bytes of [small, big]) await contents.store(chunksOf(bytes), options);
    await age(120);
    for (const bytes of [small, big]) await contents.store(chunksOf(bytes), options);
    await age(59);
    expect(await contents.collect()).toBe(0);
    expect(await stored()).toEqual({ objects: 2, hashed: 2, pieces: 5 });
  });

  test('deletes the unfinished object of a replica that died, but only after an hour without a write', async () => {
    const id = newId('obj');
    await insertContent(db, { id, store: 'postgres' });
    await store.put(id, chunksOf(someBytes(large, 'dead')));
    await age(59);
    expect(await contents.collect()).toBe(0);
    await age(2);
    expect(await contents.collect()).toBe(1);
    expect(await stored()).toEqual({ objects: 0, hashed: 0, pieces: 0 });
  });

  test('fails the writer of an object that it deletes, and leaves nothing half-written', async () => {
    async function* slow() {
      yield* chunksOf(someBytes(large, 'slow'));
      await age(120);
      expect(await contents.collect()).toBe(1);
    }
    await expect(contents.store(slow(), options)).rejects.toThrow();
    expect(await stored()).toEqual({ objects: 0, hashed: 0, pieces: 0 });
  });

  test('marks an object before it deletes the bytes, and no writer can finish a marked object', async () => {
    const id = newId('obj');
    await insertContent(db, { id, store: 'postgres' });
    expect(await touchUnfinishedContent(db, { id })).toBe(true);
    await age(61);
    expect(await markContentsForDeletion(db, { store: 'postgres', limit: 10 })).toEqual([id]);
    expect(await touchUnfinishedContent(db, { id })).toBe(false);
    expect(await finishContent(db, { id, sha256: sha256Of(Buffer.from('late')), size: 4 })).toBe('gone');
    expect(await contents.collect()).toBe(1);
  });

  test('checks all contents pass by pass, however many have references', async () => {
    const session = await activeSession(db);
    for (const name of ['a', 'b', 'c']) {
      await putWorldFile(db, {
        sessionId: session.id,
        path: name,
        ...(await contents.store(chunksOf(Buffer.from(name)), options)),
      });
    }
    for (const name of ['d', 'e', 'f', 'g']) await contents.store(chunksOf(Buffer.from(name)), options);
    await age(120);
    let passes = 0;
    for (let after: string | null = ''; after !== null; passes++)
      after = await hideUnreferencedContents(db, { after, limit: 2 });
    expect(passes).toBe(4);
    expect(await stored()).toMatchObject({ objects: 7, hashed: 3 });
  });
});

describe('storing while collecting', () => {
  test.each([10, large])('stores %i bytes as a new object if their old one was hidden before', async (size) => {
    const bytes = someBytes(size, 'second');
    const { sha256 } = await contents.store(chunksOf(bytes), options);
    const collecting = db.connectAlone();
    await collecting`begin`;
    await collecting`update contents set sha256 = null, touched_at = now()`;
    const storing = contents.store(chunksOf(bytes), options);
    await waiting(1);
    await collecting`commit`;
    await collecting.end();
    await storing;
    expect((await readContent(sha256)).equals(bytes)).toBe(true);
    expect(await stored()).toMatchObject({ objects: 2, hashed: 1 });
  });

  test.each([10, large])('protects %i bytes if they were stored again before', async (size) => {
    const bytes = someBytes(size, 'before');
    const { sha256 } = await contents.store(chunksOf(bytes), options);
    await age(120);
    const storing = db.connectAlone();
    await storing`begin`;
    await storing`update contents set touched_at = now()`;
    expect(await contents.collect()).toBe(0);
    await storing`commit`;
    await storing.end();
    expect(await contents.collect()).toBe(0);
    expect((await readContent(sha256)).equals(bytes)).toBe(true);
  });

  test('an uncommitted reference protects an old content', async () => {
    const session = await activeSession(db);
    const content = await contents.store(chunksOf(someBytes(10, 'reference')), options);
    await age(120);
    const referring = db.connectAlone();
    await referring`begin`;
    await referring`insert into world_files (session_id, path, size, sha256)
      values (${session.id}, 'a', 10, decode(${content.sha256}, 'hex'))`;
    await contents.collect();
    await referring`commit`;
    await referring.end();
    await contents.collect();
    expect(await readContent(content.sha256)).toHaveLength(10);
  });

  test('a stored content can be referred to and read, whenever collecting runs', async () => {
    const session = await activeSession(db);
    for (let round = 0; round < 25; round++) {
      const bytes = someBytes(round % 4 === 0 ? large : 10, 'race');
      const passing = [contents.collect(), contents.collect()];
      const content = await contents.store(chunksOf(bytes), options);
      await putWorldFile(db, { sessionId: session.id, path: 'a', ...content });
      await Promise.all(passing);
      expect((await readContent(content.sha256)).equals(bytes)).toBe(true);
      await removeWorldFiles(db, { claim: await claimOf(db, session.id), path: 'a' });
      await age(61);
    }
  });
});

test('rejects a reference to a content that does not exist', async () => {
  const session = await activeSession(db);
  const missing = { sha256: sha256Of(Buffer.from('missing')), size: 7 };
  await expect(putWorldFile(db, { sessionId: session.id, path: 'a', ...missing })).rejects.toThrow();
  const artifacts = [artifactOf(missing)];
  await expect(recordArtifacts(db, { sessionId: session.id, artifacts })).rejects.toThrow();
});

test('contents stay in their store if new ones go to another store', async () => {
  const bytes = someBytes(large, 'moved');
  const { sha256 } = await contents.store(chunksOf(bytes), options);
  const refused = () => Promise.reject(new Error('not here'));
  const s3: ObjectStore = { name: 's3', put: refused, get: () => chunksOf(Buffer.alloc(0)), delete: refused };
  const both = createContents({ db, stores: [s3, store], store: s3 });
  expect(await readAll((await both.open(sha256))?.read() ?? chunksOf(bytes.subarray(1)))).toEqual(bytes);
  await expect(both.store(chunksOf(someBytes(10, 'new')), options)).rejects.toThrow('not here');
  expect(await both.store(chunksOf(bytes.subarray(0, large)), options).catch((error) => error.message)).toBe(
    'not here',
  );
  const alone = createContents({ db, stores: [s3], store: s3 });
  await expect(alone.open(sha256)).rejects.toMatchObject({ slug: 'storage-unavailable' });
});

function artifactOf({ sha256, size }: { sha256: string; size: number }) {
  const stepId = newId('stp');
  const rest = { role: 'output', change: 'created', mimeType: null, concurrent: false, omission: null } as const;
  return { id: artifactIdFor(stepId, 'output', 'a'), stepId, path: 'a', size, sha256, ...rest };
}
