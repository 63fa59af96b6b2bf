import { Problem } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { OpenArtifact } from '../../src/artifacts/open-artifact.ts';
import type { Verbs } from '../../src/http/v1/verbs.ts';
import { eventually } from '../support/eventually.ts';
import { openStream } from './open-stream.ts';
import { asRun } from './scripted-app.ts';
import { sessionId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const artifactId = 'art_01kaf3yk5r6s7t8v9w0x1y2z3a';
const jobId = 'job_01kaf3y9c5d6e7f8g9h0j1k2m3';
const content = `/v1/sessions/${sessionId}/artifacts/${artifactId}/content`;
const bytes = Buffer.from('0123456789');
const sha256 = 'ab'.repeat(32);
const etag = `"${sha256}"`;

const digits = (more: Partial<OpenArtifact> = {}): OpenArtifact => ({
  path: 'out/digits.txt',
  mimeType: 'text/plain; charset=utf-8',
  sha256,
  size: bytes.length,
  async *read({ start, end }) {
    for (let at = start; at < end; at += 3) yield bytes.subarray(at, Math.min(end, at + 3));
  },
  ...more,
});

/** A server whose artifacts all are this one. */
async function serving(artifact: OpenArtifact = digits()) {
  const served = await servedApp({ openArtifact: async () => artifact });
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${served.url}${content}`, { method, headers: { ...asRun, ...headers } });
  return { ...served, get };
}

test('a content comes with its type, name and digest, and a browser does not run it', async () => {
  const { get } = await serving();
  const response = await get();
  expect([response.status, await response.text()]).toEqual([200, '0123456789']);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-length': '10',
    'content-disposition': 'inline; filename="digits.txt"',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    etag,
  });
});

test('HEAD answers the same head and no body, and reads nothing', async () => {
  const read = () => {
    throw new Error('it was read');
  };
  const { get } = await serving(digits({ read }));
  const response = await get({}, 'HEAD');
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '10', '']);
  expect(response.headers.get('etag')).toBe(etag);
});

test.each([
  ['bytes=0-3', '0123', 'bytes 0-3/10'],
  ['bytes=4-', '456789', 'bytes 4-9/10'],
  ['bytes=-2', '89', 'bytes 8-9/10'],
])('the range %s is sent alone', async (range, text, contentRange) => {
  const { get } = await serving();
  const response = await get({ range });
  expect([response.status, await response.text()]).toEqual([206, text]);
  expect(response.headers.get('content-range')).toBe(contentRange);
  const sameFile = await get({ range, 'if-range': etag });
  expect([sameFile.status, await sameFile.text()]).toEqual([206, text]);
  const other = await get({ range, 'if-range': '"other"' });
  expect([other.status, await other.text()]).toEqual([200, '0123456789']);
});

test('a range behind the end is refused, with the size', async () => {
  const { get } = await serving();
  const response = await get({ range: 'bytes=10-' });
  expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10']);
  expect(await response.json()).toMatchObject({ code: 'range-not-satisfiable' });
});

test('a client that has the content already gets 304 and no bytes', async () => {
  const { get } = await serving();
  for (const known of [etag, `W/${etag}`, '*', `"other", ${etag}`]) {
    const response = await get({ 'if-none-match': known });
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag]);
  }
  expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
});

test('a content of no bytes is an empty answer', async () => {
  const { get } = await serving(digits({ size: 0 }));
  const response = await get();
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '0', '']);
});

test('the verb checks a signed URL, and any other request needs a key', async () => {
  const seen: unknown[] = [];
  const openArtifact: Verbs['openArtifact'] = async ({ access }) => {
    seen.push(access);
    if ('signature' in access && access.signature.signature !== 'good') throw new Problem('forbidden');
    return digits();
  };
  const { url } = await servedApp({ openArtifact });
  const status = async (query: string, headers: Record<string, string> = {}) =>
    (await fetch(`${url}${content}${query}`, { headers })).status;
  expect(await status('?expires=5&signature=good')).toBe(200);
  expect(seen).toEqual([{ signature: { expires: 5, signature: 'good' } }]);
  for (const query of ['?expires=5&signature=bad', '?expires=5', '?signature=bad', '?signature=']) {
    expect(await status(query), query).toBe(403);
    expect(await status(query, asRun), query).toBe(403);
  }
  seen.length = 0;
  expect(await status('')).toBe(401);
  expect(await status('?expires=soon&signature=good')).toBe(400);
  expect(await status('?expires=5&signature=good&signature=bad')).toBe(400);
  expect(await status('?role=input', asRun)).toBe(400);
  expect(seen).toEqual([]);
  expect(await status('', asRun)).toBe(200);
  expect(seen).toMatchObject([{ caller: { tenant: 'acme' } }]);
});

test('a file of a job is found by its path, with its slashes and whatever characters it has', async () => {
  const asked: unknown[] = [];
  const openJobFile: Verbs['openJobFile'] = async ({ access: _, ...file }) => {
    asked.push(file);
    return digits();
  };
  const { url } = await servedApp({ openJobFile });
  const status = async (rest: string) =>
    (await fetch(`${url}/v1/artifacts/${sessionId}/${jobId}/${rest}`, { headers: asRun })).status;
  expect(await status('stdout.txt')).toBe(200);
  expect(await status('out/a%20b%3F%C3%BC.csv?role=output')).toBe(200);
  expect(asked).toEqual([
    { sessionId, jobId, path: 'stdout.txt', role: undefined },
    { sessionId, jobId, path: 'out/a b?ü.csv', role: 'output' },
  ]);
  for (const rest of ['a%00b', '..%2Fx', '%2Fetc%2Fpasswd', 'x'.repeat(300), 'a?role=nobody']) {
    expect(await status(rest), rest).toBe(400);
  }
  expect(asked).toHaveLength(2);
});

test('artifacts are listed by step, in pages, with URLs signed for as long as asked', async () => {
  const asked: unknown[] = [];
  const { url } = await servedApp({
    listArtifacts: async ({ caller: _, ...input }) => {
      asked.push(input);
      return { items: [], nextCursor: null };
    },
  });
  const status = async (query: string) =>
    (await fetch(`${url}/v1/sessions/${sessionId}/artifacts?${query}`, { headers: asRun })).status;
  expect(await status('')).toBe(200);
  expect(await status(`stepId=${jobId}&signedSeconds=60&limit=2&cursor=abc`)).toBe(200);
  expect(asked).toMatchObject([
    { sessionId, limit: 50 },
    { sessionId, stepId: jobId, signedSeconds: 60, limit: 2, cursor: 'abc' },
  ]);
  for (const query of ['stepId=x', 'signedSeconds=0', 'signedSeconds=604801', 'limit=0', 'what=1']) {
    expect(await status(query), query).toBe(400);
  }
});

/** Gives megabytes until the reader stops. */
function flood() {
  const counted = { given: 0, ended: false };
  const megabyte = Buffer.alloc(1024 * 1024);
  const artifact = digits({
    size: 1000 * megabyte.length,
    async *read() {
      try {
        for (; counted.given < 1000; counted.given++) yield megabyte;
      } finally {
        counted.ended = true;
      }
    },
  });
  return { counted, artifact };
}

test('a client that does not read holds the content back; one that leaves, or stalls for too long, ends the reading', async () => {
  const left = flood();
  const { url } = await serving(left.artifact);
  const stream = await openStream(`${url}${content}`, { headers: asRun });
  stream.pause();
  await eventually(() => expect(left.counted.given).toBeGreaterThan(0));
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(left.counted.given).toBeLessThan(32);
  stream.cut();
  await eventually(() => expect(left.counted.ended).toBe(true));
  const stalled = flood();
  const second = await servedApp({ openArtifact: async () => stalled.artifact }, {}, 20);
  (await openStream(`${second.url}${content}`, { headers: asRun })).pause();
  await eventually(() => expect(stalled.counted.ended).toBe(true));
  expect(stalled.counted.given).toBeLessThan(1000);
});

test('a content that breaks off in the middle cannot pass for the whole', async () => {
  const { get, lines } = await serving(
    digits({
      async *read() {
        yield bytes.subarray(0, 4);
        throw new Error('the store is gone');
      },
    }),
  );
  await expect(get().then((response) => response.text())).rejects.toThrow();
  await eventually(() => expect(lines.join()).toContain('broken off'));
});
