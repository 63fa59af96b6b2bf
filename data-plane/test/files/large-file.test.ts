import { createCipheriv, createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FilesClient, filesClient } from '../support/files-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

const mebibyte = 1024 * 1024;
/** For a longer run set HOLDFAST_TEST_FILE_MB, for example to 1024. */
const fileMebibytes = Number(process.env.HOLDFAST_TEST_FILE_MB ?? 64);
/** Room for the buffers of sockets, pieces in transit, and garbage that is not collected yet. */
const growthMebibytesMax = 128;

let installation: Installation;
let holdfast: Holdfast;
let files: FilesClient;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  files = filesClient(holdfast, (await holdfast.createSession()).id);
});

afterAll(() => installation[Symbol.asyncDispose]());

test(`a file of ${fileMebibytes} MiB comes back identical, and the memory of data-plane and agent does not grow with it`, async () => {
  // The first transfer allocates memory that stays.
  await files.put('small', Buffer.alloc(4 * mebibyte));
  await files.get('small');
  const processes = { dataPlane: holdfast.pid, agent: agentOf(installation.dataDir) };
  const before = { dataPlane: rssOf(processes.dataPlane), agent: rssOf(processes.agent) };
  const most = { ...before };
  const watch = setInterval(() => {
    for (const name of ['dataPlane', 'agent'] as const) most[name] = Math.max(most[name], rssOf(processes[name]));
  }, 50);
  const sent = createHash('sha256');
  const startedAt = performance.now();
  const written = await files.put(
    'large',
    noise(fileMebibytes, (piece) => sent.update(piece)),
  );
  const upAt = performance.now();
  const digest = sent.digest('hex');
  expect([written.status, written.json()]).toEqual([
    201,
    { path: 'large', size: fileMebibytes * mebibyte, sha256: digest },
  ]);
  const response = await files.send('GET', 'files/large');
  expect(response.headers.get('etag')).toBe(`"${digest}"`);
  const received = createHash('sha256');
  for await (const piece of response.body ?? []) received.update(piece);
  clearInterval(watch);
  expect(received.digest('hex')).toBe(digest);
  const seconds = { up: (upAt - startedAt) / 1000, down: (performance.now() - upAt) / 1000 };
  if (process.env.HOLDFAST_TEST_FILE_MB)
    process.stdout.write(`${JSON.stringify({ fileMebibytes, seconds, before, most })}\n`);
  expect(most.dataPlane - before.dataPlane).toBeLessThan(growthMebibytesMax);
  expect(most.agent - before.agent).toBeLessThan(growthMebibytesMax);
}, 300_000);

/** Pseudorandom bytes, which cannot be compressed. */
async function* noise(mebibytes: number, onPiece: (piece: Buffer) => void): AsyncGenerator<Buffer> {
  const stream = createCipheriv('aes-128-ctr', Buffer.alloc(16, 'key'), Buffer.alloc(16));
  const zeros = Buffer.alloc(mebibyte);
  for (let sent = 0; sent < mebibytes; sent++) {
    const piece = stream.update(zeros);
    onPiece(piece);
    yield piece;
  }
}

/** The process id of the only agent that works below the directory. */
function agentOf(directory: string): number {
  const pid = readdirSync('/proc').find((name) => {
    try {
      const isAgent = readFileSync(`/proc/${name}/cmdline`, 'latin1').includes('session-agent/src/main.ts');
      return isAgent && readFileSync(`/proc/${name}/environ`, 'latin1').includes(directory);
    } catch {
      return false;
    }
  });
  if (!pid) throw new Error('the agent was not found');
  return Number(pid);
}

/** In mebibytes. */
function rssOf(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kibibytes) / 1024);
}
