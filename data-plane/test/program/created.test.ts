import { randomBytes } from 'node:crypto';
import openapi from '@holdfast/specs/openapi.json' with { type: 'json' };
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

const key = 'a-key-for-the-tests-of-201';
let installation: Installation;
let holdfast: Holdfast;
let session: string;
let snapshotId: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({
    HOLDFAST_BOOTSTRAP_API_KEY: key,
    HOLDFAST_TRANSFER_KEY: randomBytes(32).toString('base64'),
  });
  session = await locationOf('createSession');
  await ask('POST', `${session}/steps`, { code: 'x = 1' });
}, 60_000);
afterAll(() => installation[Symbol.asyncDispose]());

const ask = (method: string, path: string, body?: object | Uint8Array) =>
  fetch(`${holdfast.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': body instanceof Uint8Array ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body && { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
  });

const json = (method: string, path: () => string, body?: object) => () => ask(method, path(), body);

/** A request for each operation that answers 201, which does. */
const requests: Record<string, () => Promise<Response>> = {
  createSession: json('POST', () => '/v1/sessions', {}),
  createShare: json('POST', () => `${session}/shares`, { access: 'watch', expiresSeconds: 60 }),
  writeFile: () => ask('PUT', `${session}/files/a%20folder/%C3%A4%3F.txt`, Buffer.from('text')),
  makeDirectory: json('POST', () => `${session}/directories`, { path: 'made & more' }),
  openPort: json('POST', () => `${session}/ports`, { port: 8000 }),
  createContext: json('POST', () => `${session}/contexts`, { language: 'python' }),
  createSnapshot: json('POST', () => `${session}/snapshots`),
  forkSession: json('POST', () => `${session}/fork`),
  nameSnapshot: () => ask('POST', '/v1/snapshots', { name: 'named', snapshotId }),
  writeSnapshotArchive: async () => {
    const archive = await ask('GET', '/v1/snapshots/named/archive');
    return await ask('PUT', '/v1/snapshots/moved/archive', new Uint8Array(await archive.arrayBuffer()));
  },
  createApiKey: json('POST', () => '/v1/api-keys', { name: 'another', tenant: 'default', scopes: ['run'] }),
};

async function locationOf(operationId: string): Promise<string> {
  const response = await (requests[operationId] as () => Promise<Response>)();
  const text = await response.text();
  expect([response.status, text]).toEqual([201, expect.stringMatching(/^\{/)]);
  if (operationId === 'createSnapshot') snapshotId = JSON.parse(text).id;
  return response.headers.get('location') ?? '';
}

test('every 201 of the API has a body and a Location that names what was made', async () => {
  const operations = Object.values(openapi.paths).flatMap((path) => Object.values(path));
  const creating = operations.filter(({ responses }) => '201' in responses).map(({ operationId }) => operationId);
  expect(Object.keys(requests)).toEqual(creating);
  const locations = new Map<string, string>();
  for (const operationId of creating) locations.set(operationId, await locationOf(operationId));
  for (const [operationId, location] of locations) expect(location, operationId).toMatch(/^\/v1\/[^ ]+$/);
  for (const readable of [
    'createSession',
    'writeFile',
    'makeDirectory',
    'forkSession',
    'nameSnapshot',
    'writeSnapshotArchive',
  ])
    expect((await ask('GET', locations.get(readable) as string)).status, readable).toBe(200);
  for (const deletable of ['createShare', 'openPort', 'createContext', 'createSnapshot', 'createApiKey'])
    expect((await ask('DELETE', locations.get(deletable) as string)).status, deletable).toBe(204);
});

test('a file outside the workspace has a Location that proxies do not change', async () => {
  const path = `/tmp/holdfast-created-${Date.now()}`;
  const written = await ask('PUT', `${session}/files//${path.slice(1)}`, Buffer.from('text'));
  expect([written.status, written.headers.get('location')]).toEqual([
    201,
    `${session}/files/${encodeURIComponent(path)}`,
  ]);
  expect(await (await ask('GET', written.headers.get('location') as string)).text()).toBe('text');
  expect((await ask('DELETE', written.headers.get('location') as string)).status).toBe(204);
});

test('a replaced file and a directory that was there are not created, so nothing says where they are', async () => {
  expect((await ask('PUT', `${session}/files/twice`, Buffer.from('1'))).status).toBe(201);
  const again = await ask('PUT', `${session}/files/twice`, Buffer.from('2'));
  expect([again.status, again.headers.get('location')]).toEqual([200, null]);
  expect((await ask('POST', `${session}/directories`, { path: 'there' })).status).toBe(201);
  const there = await ask('POST', `${session}/directories`, { path: 'there' });
  expect([there.status, there.headers.get('location')]).toEqual([204, null]);
});

test('a path that is too long for a header has no Location', async () => {
  const name = (length: number) => 'ä'.repeat(length);
  const path = (last: string) => `${name(127)}/${name(127)}/${last}`;
  const put = (last: string) => ask('PUT', `${session}/files/${encodeURI(path(last))}`, Buffer.from('text'));
  const make = (last: string) => ask('POST', `${session}/directories`, { path: path(last) });
  for (const response of [await put(name(70)), await make(name(69))]) {
    expect([response.status, response.headers.get('location')]).toEqual([201, expect.stringContaining('%C3%A4')]);
  }
  for (const response of [await put(name(127)), await make(name(126))]) {
    expect([response.status, response.headers.get('location')]).toEqual([201, null]);
  }
});

test('a list of a file is a 400 that names the parameter', async () => {
  await ask('PUT', `${session}/files/plain.txt`, Buffer.from('text'));
  const listed = await ask('GET', `${session}/files?path=plain.txt`);
  expect([listed.status, await listed.json()]).toEqual([
    400,
    expect.objectContaining({ code: 'invalid-request', errors: [expect.objectContaining({ pointer: 'query/path' })] }),
  ]);
});
