import { inspect } from 'node:util';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { newId, Problem } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { createContents } from '../../src/contents/contents.ts';
import { type Bucket, connectBucket } from '../../src/contents/s3/bucket.ts';
import { createS3Store } from '../../src/contents/s3/create-s3-store.ts';
import { insertContent } from '../../src/registry/contents/insert-content.ts';
import { chunksOf, readAll, someBytes } from '../support/byte-source.ts';
import { objectStoreConformance, type StoreUnderTest } from '../support/object-store-conformance.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { type S3Server, s3Server, secretKey, startS3Server } from '../support/start-s3-server.ts';

describe.skipIf(!s3Server)('objects in S3 (a server of data-plane/test/install-s3-server)', () => {
  let server: S3Server;
  let bucket: Bucket;
  let store: ReturnType<typeof createS3Store>;
  let under: StoreUnderTest;
  beforeAll(async () => {
    server = await startS3Server();
    bucket = connectBucket(server.options);
    store = createS3Store(server.options);
    under = { store, announce: async () => {}, leftovers: async () => (await uploads()).length };
  });
  afterAll(async () => {
    store.close();
    bucket.close();
    await server.stop();
  });

  const uploads = async () =>
    (await bucket.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }))).Uploads?.map(({ Key }) => Key) ?? [];

  const objects = async () =>
    (await bucket.send(new ListObjectsV2Command({ Bucket: bucket.name }))).Contents?.map(({ Key }) => Key) ?? [];

  objectStoreConformance(() => under);

  test('writes every object under the prefix, and nothing else into the bucket', async () => {
    const key = newId('obj');
    await store.put(key, chunksOf(someBytes(10, 'prefix')));
    const keys = await objects();
    expect(keys).toContain(`some/place/${key}`);
    expect(keys.filter((name) => !name?.startsWith('some/place/obj_'))).toEqual([]);
  });

  test('a wrong secret is a problem of the storage, and the error contains neither key', async () => {
    const keys = { id: 'holdfast-test-key', secret: new Secret('a-wrong-secret-key') };
    const stranger = createS3Store({ ...server.options, keys });
    const failure: Problem = await stranger.put(newId('obj'), chunksOf(someBytes(10, 'wrong'))).catch((error) => error);
    stranger.close();
    expect(failure).toBeInstanceOf(Problem);
    expect(failure.slug).toBe('storage-unavailable');
    const printed = inspect(failure, { depth: 10, showHidden: true });
    expect(printed).toMatch(/PutObjectCommand: 403 SignatureDoesNotMatch/);
    expect(printed).not.toContain('a-wrong-secret-key');
    expect(printed).not.toContain(secretKey);
  });

  test('a missing bucket is a problem of the storage', async () => {
    const elsewhere = createS3Store({ ...server.options, bucket: 'another-bucket' });
    const failure = await elsewhere.put(newId('obj'), chunksOf(someBytes(10, 'bucket'))).catch((error) => error);
    elsewhere.close();
    expect(failure.slug).toBe('storage-unavailable');
  });

  test('finds contents by their hash, stores each once, and collects them and the remains of interrupted writes', async () => {
    const { db, drop } = await createTestDatabase();
    const contents = createContents({ db, stores: [store], store });
    const before = await objects();
    const storeBytes = (bytes: Buffer) => contents.store(chunksOf(bytes), { bytesMax: 2 ** 30 });
    for (const size of [0, 10, 9 * 1024 * 1024]) {
      const bytes = someBytes(size, 'contents');
      const [stored] = await Promise.all([storeBytes(bytes), storeBytes(bytes)]);
      await storeBytes(bytes);
      const opened = await contents.open(stored.sha256);
      expect((await readAll(opened?.read() ?? chunksOf(Buffer.from('none')))).equals(bytes)).toBe(true);
    }
    expect((await objects()).length - before.length).toBe(3);
    const dead = newId('obj');
    await insertContent(db, { id: dead, store: 's3' });
    await bucket.send(new CreateMultipartUploadCommand(bucket.at(dead)));
    for (const deleted of [1, 3]) {
      await db.sql`update contents set touched_at = now() - interval '61 minutes'`;
      expect(await contents.collect()).toBe(deleted);
    }
    expect(await objects()).toEqual(before);
    expect(await uploads()).toEqual([]);
    await drop();
  });

  test('an upload fails if its server dies, and deleting the key removes the remains', async () => {
    const key = newId('obj');
    async function* source() {
      yield* chunksOf(someBytes(17 * 1024 * 1024, 'killed'));
      await server.kill();
      yield* chunksOf(someBytes(17 * 1024 * 1024, 'killed'));
    }
    const failure = await store.put(key, source()).catch((error) => error);
    expect(failure.slug).toBe('storage-unavailable');
    await server.restart();
    expect(await uploads()).toEqual([`some/place/${key}`]);
    await expect(readAll(store.get(key, { start: 0, end: 1 }))).rejects.toThrow();
    await store.delete([key]);
    expect(await uploads()).toEqual([]);
    await store.put(key, chunksOf(someBytes(10, 'again')));
    expect((await readAll(store.get(key, { start: 0, end: 10 }))).equals(someBytes(10, 'again'))).toBe(true);
  }, 30_000);
});
