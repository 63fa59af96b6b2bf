import { Readable } from 'node:stream';
import { artifactIdFor, newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { artifactUrl, jobFileUrl } from '../../src/artifacts/artifact-view.ts';
import { getArtifact } from '../../src/artifacts/get-artifact.ts';
import { openArtifact } from '../../src/artifacts/open-artifact.ts';
import { openJobFile } from '../../src/jobs/open-job-file.ts';
import { createSeal } from '../../src/keys/seal.ts';
import { signUrl } from '../../src/keys/sign-url.ts';
import { recordArtifacts } from '../../src/registry/artifacts/record-artifacts.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { change, startStoring } from '../support/start-storing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const seal = createSeal({ current: new Uint8Array(32).fill(7) });
const caller = { tenant: 'acme', scopes: new Set(['run'] as const), keyId: null };
const forbidden = expect.objectContaining({ slug: 'forbidden' });
const missing = expect.objectContaining({ slug: 'not-found' });

/** A session with one artifact, and a clock that tests set. */
async function artifact() {
  const storing = await startStoring(database);
  storing.files.set('a.txt', 'hello');
  const [{ id } = { id: '' }] = await storing.store([change('a.txt')]);
  const clock = { now: new Date('2026-01-15T10:00:00Z') };
  const deps = { ...storing.deps, seal, now: () => clock.now };
  return { storing, deps, clock, key: { sessionId: storing.sessionId, artifactId: id } };
}

const textOf = async ({ read, size }: Awaited<ReturnType<typeof openArtifact>>) =>
  Buffer.concat(await Readable.from(read({ start: 0, end: size })).toArray()).toString();

function signatureIn(url: string) {
  const query = new URL(url, 'http://server').searchParams;
  return { expires: Number(query.get('expires')), signature: query.get('signature') ?? '' };
}

test('a URL that was signed for an hour can be read for an hour without a key, and gives no access to another artifact', async () => {
  const { storing, deps, clock, key } = await artifact();
  await using _ = storing;
  const { url } = await getArtifact(deps, { caller, ...key, signedSeconds: 3600 });
  const access = { signature: signatureIn(url ?? '') };
  expect(await textOf(await openArtifact(deps, { access, ...key }))).toBe('hello');
  clock.now = new Date('2026-01-15T10:59:59Z');
  expect(await textOf(await openArtifact(deps, { access, ...key }))).toBe('hello');
  const other = { ...key, artifactId: artifactIdFor(newId('stp'), 'output', 'b.txt') };
  await expect(openArtifact(deps, { access, ...other })).rejects.toEqual(forbidden);
  clock.now = new Date('2026-01-15T11:00:00Z');
  await expect(openArtifact(deps, { access, ...key })).rejects.toEqual(forbidden);
});

test('a key of another tenant, or a signed URL of a session that does not exist, finds nothing', async () => {
  const { storing, deps, key } = await artifact();
  await using _ = storing;
  const stranger = { ...caller, tenant: 'stranger' };
  await expect(openArtifact(deps, { access: { caller: stranger }, ...key })).rejects.toEqual(missing);
  const nowhere = { ...key, sessionId: newId('ses') };
  const signature = signatureIn(
    signUrl(seal, artifactUrl(nowhere), { expiresAt: new Date('2027-01-01'), keyId: null }),
  );
  await expect(openArtifact(deps, { access: { signature }, ...nowhere })).rejects.toEqual(missing);
});

test('a path of a job means its output to a stream first, then a written file, then an input', async () => {
  const { storing, deps } = await artifact();
  await using _ = storing;
  const { sessionId } = storing;
  const jobId = newId('job');
  const roles = ['input', 'output', 'stdout'] as const;
  for (const role of roles) {
    async function* source() {
      yield Buffer.from(role);
    }
    const content = await deps.contents.store(source(), { bytesMax: 10 });
    const path = role === 'stdout' ? 'stdout.txt' : 'data.csv';
    const row = { stepId: jobId, role, change: 'created', mimeType: null, concurrent: false, omission: null } as const;
    const files = [path, 'stdout.txt'].map((name) => ({
      ...row,
      ...content,
      id: artifactIdFor(jobId, role, name),
      path: name,
    }));
    await recordArtifacts(database.db, { sessionId, artifacts: files });
  }
  const read = async (path: string, role?: (typeof roles)[number]) =>
    textOf(await openJobFile(deps, { access: { caller }, sessionId, jobId, path, role }));
  expect(await read('stdout.txt')).toBe('stdout');
  expect(await read('data.csv')).toBe('output');
  expect(await read('data.csv', 'input')).toBe('input');
  await expect(read('none.csv')).rejects.toEqual(missing);
  const signed = signUrl(seal, jobFileUrl({ sessionId, jobId, path: 'data.csv' }), {
    expiresAt: new Date('2027-01-01'),
    keyId: null,
  });
  const access = { signature: signatureIn(signed) };
  const file = { access, sessionId, jobId, path: 'data.csv' };
  expect(await textOf(await openJobFile(deps, file))).toBe('output');
  await expect(openJobFile(deps, { ...file, role: 'input' })).rejects.toEqual(forbidden);
  await expect(openJobFile(deps, { ...file, path: 'stdout.txt' })).rejects.toEqual(forbidden);
});
