import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { rawRequest } from '../support/raw-request.ts';
import { client, type Holdfast } from '../support/start-holdfast.ts';
import { tamperings } from './tampered-links.ts';

const bootstrapKey = 'the-first-key-of-the-deployment-0123456789';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

let installation: Installation;
let holdfast: Holdfast;
let api: ReturnType<typeof client>;
let sessionId: string;
let otherId: string;
let scratch: string;

beforeAll(async () => {
  installation = await createInstallation();
  const env = { HOLDFAST_BOOTSTRAP_API_KEY: bootstrapKey, HOLDFAST_UPLOAD_BYTES_MAX: '1000000' };
  holdfast = await installation.start(env);
  api = client(holdfast.url, bearer(bootstrapKey));
  [{ id: sessionId }, { id: otherId }] = [
    await api.createSession({ language: 'bash', files: { 'a b/é.txt': 'content', other: 'other', '%61': 'odd' } }),
    await api.createSession({ language: 'bash', files: { other: 'of another session' } }),
  ];
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-links-')));
}, 60_000);
afterAll(async () => {
  rmSync(scratch, { recursive: true });
  await installation[Symbol.asyncDispose]();
});

async function link(
  path: string,
  operation: 'read' | 'write' = 'read',
  more: { by?: typeof api; expiresSeconds?: number } = {},
) {
  const { by = api, expiresSeconds = 600 } = more;
  const answer = await by.request('POST', `/v1/sessions/${sessionId}/files/links`, { path, operation, expiresSeconds });
  expect(answer.status).toBe(200);
  return answer.body as { url: string; expiresAt: string };
}

/** Sends a target as it is, without a key. */
const ask = (method: string, target: string, body?: string) =>
  rawRequest(holdfast.url, { method, target, ...(body !== undefined && { body }) });
const status = async (method: string, target: string, body?: string) => (await ask(method, target, body)).status;

test('a link reads one file without a key, with HEAD and with ranges', async () => {
  const { url } = await link('a b/é.txt');
  expect(await ask('GET', url)).toMatchObject({ status: 200, text: 'content' });
  expect(await status('HEAD', url)).toBe(200);
  const part = await fetch(holdfast.url + url, { headers: { range: 'bytes=0-2' } });
  expect([part.status, await part.text()]).toEqual([206, 'con']);
  expect(await status('GET', url.split('?')[0] ?? '')).toBe(401);
});

test('a link writes one file without a key, which need not exist', async () => {
  const { url } = await link('uploads/new', 'write');
  expect(await status('PUT', url, 'first')).toBe(201);
  expect(await status('PUT', url, 'second')).toBe(200);
  const read = await fetch(`${holdfast.url}/v1/sessions/${sessionId}/files/uploads/new`, {
    headers: bearer(bootstrapKey),
  });
  expect(await read.text()).toBe('second');
  const { body } = await api.request('GET', `/v1/sessions/${sessionId}/audit?limit=200`);
  const written = body.items.filter(({ operation }: { operation: string }) => operation === 'world.write');
  expect(written.map(({ actorName, keyId }: Record<string, unknown>) => [actorName, typeof keyId])).toEqual([
    ['signed URL', 'string'],
    ['signed URL', 'string'],
  ]);
});

test('a link reads and writes a file outside the workspace', async () => {
  const path = join(scratch, 'x');
  expect(await status('PUT', (await link(path, 'write')).url, 'outside')).toBe(201);
  expect(readFileSync(path, 'utf8')).toBe('outside');
  expect((await ask('GET', (await link(path)).url)).text).toBe('outside');
  const { url } = await link('/etc/passwd');
  expect(await status('GET', url)).toBe(403);
});

test('the making of a link is in the audit log, without its signature', async () => {
  const { url, expiresAt } = await link('audited', 'write');
  const { body } = await api.request('GET', `/v1/sessions/${sessionId}/audit?limit=200`);
  const made = body.items.find(
    ({ operation, arguments: given }: { operation: string; arguments: { path?: string } }) =>
      operation === 'file-link.create' && given.path === 'audited',
  );
  expect(made.arguments).toEqual({ path: 'audited', allows: 'write', expiresAt });
  expect(JSON.stringify(made)).not.toContain(new URL(url, holdfast.url).searchParams.get('signature'));
});

let read: string;
let write: string;
beforeAll(async () => {
  [read, write] = [(await link('a b/é.txt')).url, (await link('a b/é.txt', 'write')).url];
});

test.for(tamperings)('a link opens nothing with %s', async ([, method, target]) => {
  const answer = await ask(
    method,
    target({ read, write, sessionId, otherId, origin: holdfast.url }),
    method === 'PUT' ? 'changed' : undefined,
  );
  expect([400, 401, 403]).toContain(answer.status);
  expect(answer.text).not.toContain('content');
  expect((await ask('GET', read)).text).toBe('content');
});

test('a link to read answers as a key would: ranges, conditions, and HEAD without a body', async () => {
  const asked = async (method: string, headers: Record<string, string>) => {
    const answer = await fetch(holdfast.url + read, { method, headers });
    return [answer.status, await answer.text(), answer.headers.get('content-length')];
  };
  const etag = (await fetch(holdfast.url + read, { method: 'HEAD' })).headers.get('etag') ?? '';
  expect(await asked('HEAD', {})).toEqual([200, '', '7']);
  expect(await asked('HEAD', { range: 'bytes=0-2' })).toEqual([200, '', '7']);
  expect(await asked('GET', { range: 'bytes=-3' })).toEqual([206, 'ent', '3']);
  expect((await asked('GET', { range: 'bytes=7-' }))[0]).toBe(416);
  expect((await asked('GET', { 'if-none-match': etag })).slice(0, 2)).toEqual([304, '']);
  expect((await asked('GET', { 'if-match': '"another"' }))[0]).toBe(412);
});

test('a link to write takes nothing beyond the limit, however long the client says that it is', async () => {
  for (const path of ['unbounded', join(scratch, 'unbounded')]) {
    const { url } = await link(path, 'write');
    const body = async function* () {
      for (let piece = 0; piece < 11; piece++) yield Buffer.alloc(100_000);
    };
    const sent = { method: 'PUT', body: body(), duplex: 'half' } as unknown as RequestInit;
    expect((await fetch(holdfast.url + url, sent)).status).toBe(413);
    expect(await status('GET', (await link(path)).url)).toBe(404);
  }
});

test('a link is for a file and not for a form of its URL', async () => {
  const { url } = await link('a b/é.txt');
  const forms = [
    url.replace('a%20b/', 'a%20b//'),
    url.replace('a%20b', '%61%20%62'),
    url.replace('/files/', '/files//workspace/'),
    url.replace('a%20b/%C3%A9.txt', '%2Fworkspace%2Fa%20b%2F%C3%A9.txt'),
  ];
  for (const form of forms) expect([form, (await ask('GET', form)).text]).toEqual([form, 'content']);
  expect((await ask('GET', (await link('%61')).url)).text).toBe('odd');
});

test('a link that has expired opens nothing', async () => {
  const { url, expiresAt } = await link('a b/é.txt', 'read', { expiresSeconds: 1 });
  await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(expiresAt)));
  expect(await ask('GET', url)).toMatchObject({ status: 403, text: expect.stringContaining('has expired') });
});

test('a link ends with the key that asked for it', async () => {
  const { body: made } = await api.request('POST', '/v1/api-keys', { tenant: 'default', scopes: ['run'] });
  const { url } = await link('a b/é.txt', 'read', { by: client(holdfast.url, bearer(made.key)) });
  expect(await status('GET', url)).toBe(200);
  await api.request('DELETE', `/v1/api-keys/${made.id}`);
  expect(await status('GET', url)).toBe(403);
});

test('the limits and the policy of the session apply when a link is used', async () => {
  const { url } = await link('large', 'write');
  expect(await status('PUT', url, 'x'.repeat(1_000_001))).toBe(413);
  const hidden = (await link('secret/x', 'write')).url;
  expect(await status('PUT', hidden, 'x')).toBe(201);
  const policy = { world: { readPatterns: ['public/**'] } };
  expect((await api.request('PATCH', `/v1/sessions/${sessionId}`, { policy })).status).toBe(200);
  expect(await ask('PUT', hidden, 'y')).toMatchObject({ status: 403, text: expect.stringContaining('policy-denied') });
  expect((await api.request('PATCH', `/v1/sessions/${sessionId}`, { policy: 'unrestricted' })).status).toBe(200);
});

test('no link is made for the workspace itself, for ever, or with a share link', async () => {
  const links = `/v1/sessions/${sessionId}/files/links`;
  const bad = [
    { path: '', operation: 'read', expiresSeconds: 60 },
    { path: '/workspace', operation: 'read', expiresSeconds: 60 },
    { path: '../x', operation: 'read', expiresSeconds: 60 },
    { path: 'x', operation: 'delete', expiresSeconds: 60 },
    { path: 'x', operation: 'read', expiresSeconds: 0 },
    { path: 'x', operation: 'read', expiresSeconds: 604_801 },
    { path: 'x', operation: 'read' },
  ];
  for (const body of bad) expect([body, (await api.request('POST', links, body)).status]).toEqual([body, 400]);
  const shared = await api.request('POST', `/v1/sessions/${sessionId}/shares`, { access: 'run', expiresSeconds: 60 });
  const guest = client(holdfast.url, bearer(shared.body.token));
  expect((await guest.request('POST', links, { path: 'other', operation: 'read', expiresSeconds: 60 })).status).toBe(
    403,
  );
});

test('a link of a deleted session says so', async () => {
  const { id } = await api.createSession({ language: 'bash', files: { x: 'x' } });
  const body = { path: 'x', operation: 'read', expiresSeconds: 60 };
  const { url } = (await api.request('POST', `/v1/sessions/${id}/files/links`, body)).body;
  expect(await status('GET', url)).toBe(200);
  await api.deleteSession(id);
  expect(await status('GET', url)).toBe(410);
});
