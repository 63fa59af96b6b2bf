import { randomBytes } from 'node:crypto';
import type { NamedSnapshot, Snapshot } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { client, type Holdfast } from '../support/start-holdfast.ts';

const bootstrapKey = 'the-first-key-of-the-deployment-0123456789';
const transferKey = randomBytes(32).toString('base64');
const strangeKey = randomBytes(32).toString('base64');

/** Two deployments of one operator; the first key of each is of the tenant `default`. */
let installations: Installation[];
let here: Holdfast;
let there: Holdfast;
let api: ReturnType<typeof client>;
let apiThere: ReturnType<typeof client>;
/** Another tenant of the first deployment. */
let stranger: ReturnType<typeof client>;

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

beforeAll(async () => {
  installations = await Promise.all([createInstallation(), createInstallation()]);
  const start = (env: Record<string, string>) => ({ HOLDFAST_BOOTSTRAP_API_KEY: bootstrapKey, ...env });
  [here, there] = (await Promise.all(
    installations.map((one, index) =>
      one.start(
        start(
          index === 0
            ? { HOLDFAST_TRANSFER_KEY: transferKey }
            : {
                HOLDFAST_TRANSFER_KEY: strangeKey,
                HOLDFAST_PREVIOUS_TRANSFER_KEY: transferKey,
              },
        ),
      ),
    ),
  )) as [Holdfast, Holdfast];
  [api, apiThere] = [client(here.url, bearer(bootstrapKey)), client(there.url, bearer(bootstrapKey))];
  const made = await api.request('POST', '/v1/api-keys', { tenant: 'stranger', scopes: ['run'] });
  stranger = client(here.url, bearer(made.body.key));
}, 120_000);

afterAll(async () => {
  for (const installation of installations) await installation[Symbol.asyncDispose]();
});

const post = (id: string, rest: string, body?: object) => api.request('POST', `/v1/sessions/${id}${rest}`, body);
const printed = async (at: typeof api, id: string, code: string) => (await at.runStep(id, { code })).stdout.trim();

/** A session with a state and a file, and a snapshot of it. */
async function snapshotOf(language: string, code: string): Promise<Snapshot> {
  const { id } = await api.createSession({ language });
  await api.runStep(id, { code });
  const { status, body } = await post(id, '/snapshots');
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const programs = [
  ['python', 'x = [1]; open("f", "w").write("own")', 'print(x, open("f").read())', '[1] own'],
  ['node', "const x = [1]; fs.writeFileSync('f', 'own')", "console.log(x[0], fs.readFileSync('f', 'utf8'))", '1 own'],
  ['bash', 'x=1; printf own > f', 'echo "$x $(cat f)"', '1 own'],
] as const;

const bytesOf = async (url: string, path: string, key = bootstrapKey) => {
  const response = await fetch(`${url}${path}`, { headers: bearer(key) });
  return {
    status: response.status,
    length: response.headers.get('content-length'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
};
const put = async (name: string, bytes: Buffer, at = there) => {
  const response = await fetch(`${at.url}/v1/snapshots/${name}/archive`, {
    method: 'PUT',
    headers: { ...bearer(bootstrapKey), 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
  return { status: response.status, body: await response.json() };
};

test.each(programs)(
  'a named snapshot of %s outlives its session and starts several others',
  async (language, set, show, expected) => {
    const snapshot = await snapshotOf(language, set);
    const name = `prepared-${language}`;
    const named = await api.request('POST', '/v1/snapshots', { name, snapshotId: snapshot.id });
    expect(named).toMatchObject({
      status: 201,
      body: {
        name,
        language,
        size: snapshot.size,
        bytes: snapshot.size + 3,
        files: { count: 1, bytes: 3, notSaved: [] },
      },
    });
    await eventually(async () => {
      expect((await api.request('DELETE', `/v1/sessions/${snapshot.sessionId}`)).status).toBe(204);
    });
    expect((await api.request('GET', `/v1/sessions/${snapshot.sessionId}/snapshots`)).status).toBe(410);
    const body = { language, fromSnapshot: name };
    for (const session of await Promise.all([api.createSession(body), api.createSession(body)])) {
      expect(session.lastRecovery).toMatchObject({ contexts: [{ lost: [] }], files: { restored: 1, lost: [] } });
      expect(await printed(api, session.id, show)).toBe(expected);
    }
  },
);

test('a name is used once, until its snapshot is deleted', async () => {
  const [first, second] = [await snapshotOf('bash', 'x=1'), await snapshotOf('bash', 'x=2')];
  const name = (snapshot: Snapshot, more = {}) =>
    api.request('POST', '/v1/snapshots', { name: 'once', snapshotId: snapshot.id }, more);
  const key = { 'idempotency-key': 'name-once' };
  const { body } = await name(first, key);
  expect(await name(first, key)).toMatchObject({ status: 201, body });
  expect(await name(second)).toMatchObject({ status: 409, body: { code: 'name-taken' } });
  const started = await api.createSession({ language: 'bash', fromSnapshot: 'once' });
  expect(await printed(api, started.id, 'echo $x')).toBe('1');
  expect((await api.request('DELETE', '/v1/snapshots/once')).status).toBe(204);
  expect((await api.request('DELETE', '/v1/snapshots/once')).status).toBe(404);
  expect(await name(second)).toMatchObject({ status: 201 });
  await api.request('DELETE', '/v1/snapshots/once');
  expect(await printed(api, started.id, 'echo $x')).toBe('1');
  const refused = await api.request('POST', '/v1/sessions', { language: 'bash', fromSnapshot: 'once' });
  expect(refused).toMatchObject({ status: 422, body: { code: 'snapshot-refused' } });
});

test('named snapshots are listed in pages, by name', async () => {
  const snapshot = await snapshotOf('bash', 'x=1');
  for (const name of ['list-b', 'list-a', 'list-c'])
    await api.request('POST', '/v1/snapshots', { name, snapshotId: snapshot.id });
  const names: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await api.request('GET', `/v1/snapshots?limit=2${cursor}`);
    names.push(...body.items.map((one: NamedSnapshot) => one.name));
    if (!body.nextCursor) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  expect(names.filter((name) => name.startsWith('list-'))).toEqual(['list-a', 'list-b', 'list-c']);
  expect(names).toEqual(names.toSorted());
  expect((await api.request('GET', '/v1/snapshots/list-a')).body).toMatchObject({ saved: [{ name: 'x' }] });
});

test('nothing of a tenant can be used by another one', async () => {
  const snapshot = await snapshotOf('bash', 'x=1');
  await api.request('POST', '/v1/snapshots', { name: 'mine', snapshotId: snapshot.id });
  const own = `/v1/sessions/${snapshot.sessionId}`;
  for (const [method, path, body] of [
    ['GET', '/v1/snapshots/mine'],
    ['GET', '/v1/snapshots/mine/archive'],
    ['DELETE', '/v1/snapshots/mine'],
    ['GET', `${own}/snapshots/${snapshot.id}/archive`],
    ['DELETE', `${own}/snapshots/${snapshot.id}`],
    ['POST', `${own}/fork`, {}],
    ['POST', `${own}/fork`, { snapshotId: snapshot.id }],
  ] as const) {
    expect(await stranger.request(method, path, body), `${method} ${path}`).toMatchObject({ status: 404 });
  }
  for (const [path, body] of [
    ['/v1/sessions', { language: 'bash', fromSnapshot: 'mine' }],
    ['/v1/sessions', { language: 'bash', fromSnapshot: snapshot.id }],
    ['/v1/snapshots', { name: 'theirs', snapshotId: snapshot.id }],
  ] as const) {
    expect(await stranger.request('POST', path, body)).toMatchObject({
      status: 422,
      body: { code: 'snapshot-refused' },
    });
  }
  expect((await stranger.request('GET', '/v1/snapshots')).body).toEqual({ items: [], nextCursor: null });
  expect((await api.request('GET', '/v1/snapshots/mine')).status).toBe(200);
});

test.each(programs)('a snapshot of %s moves to another deployment', async (language, set, show, expected) => {
  const snapshot = await snapshotOf(language, set);
  const archive = await bytesOf(here.url, `/v1/sessions/${snapshot.sessionId}/snapshots/${snapshot.id}/archive`);
  expect(archive).toMatchObject({ status: 200, length: `${archive.bytes.length}` });
  const name = `moved-${language}`;
  const { createdAt: _, id: __, sessionId: ___, contextId: ____, origin: _____, ...same } = snapshot;
  expect(await put(name, archive.bytes)).toMatchObject({ status: 201, body: { ...same, name } });
  const { id } = await apiThere.createSession({ language, fromSnapshot: name });
  expect(await printed(apiThere, id, show)).toBe(expected);
  const back = await bytesOf(there.url, `/v1/snapshots/${name}/archive`);
  expect(back.status).toBe(200);
  expect(await put(name, archive.bytes)).toMatchObject({ status: 409, body: { code: 'name-taken' } });
});

test('an archive that is foreign, damaged or incomplete is rejected, and nothing of it is kept', async () => {
  const snapshot = await snapshotOf('bash', 'x=1; printf "%s" {1..3000} > large; printf own > f');
  const { bytes } = await bytesOf(here.url, `/v1/sessions/${snapshot.sessionId}/snapshots/${snapshot.id}/archive`);
  const { sql } = (installations[1] as Installation).database.db;
  const kept = async () => [
    (await apiThere.request('GET', '/v1/snapshots')).body,
    await sql`select kept_bytes from tenants`,
    await sql`select * from snapshot_files`,
  ];
  const before = await kept();
  const changed = (at: number) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from([(bytes[at] ?? 0) ^ 1]), bytes.subarray(at + 1)]);
  const head = bytes.indexOf('\n', bytes.indexOf('\n', 25) + 1);
  const broken: Record<string, Buffer> = {
    'no archive': Buffer.from('hello'),
    nothing: Buffer.alloc(0),
    'a changed magic': changed(3),
    'a changed head': changed(40),
    'a changed signature': changed(head - 5),
    'a changed state': changed(head + 5),
    'a changed file': changed(bytes.length - 1),
    'a byte more': Buffer.concat([bytes, Buffer.from('x')]),
  };
  for (const at of [10, 100, head - 10, head + 1, head + 100, bytes.length - 1])
    broken[`an end after ${at}`] = bytes.subarray(0, at);
  for (const [what, archive] of Object.entries(broken)) {
    expect(await put('broken', archive), what).toMatchObject({ status: 422, body: { code: 'archive-refused' } });
  }
  // The other deployment signs with a key that this one does not know.
  expect(await put('whole', bytes)).toMatchObject({ status: 201 });
  const foreign = await bytesOf(there.url, '/v1/snapshots/whole/archive');
  const refused = await put('foreign', foreign.bytes, here);
  expect(refused).toMatchObject({
    status: 422,
    body: { code: 'archive-refused', detail: expect.stringContaining('HOLDFAST_TRANSFER_KEY') },
  });
  expect((await apiThere.request('DELETE', '/v1/snapshots/whole')).status).toBe(204);
  expect(await kept()).toEqual(before);
});
