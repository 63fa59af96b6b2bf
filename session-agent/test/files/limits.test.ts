import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startWithFiles } from '../support/files-client.ts';
import { until } from '../support/until.ts';

const mebibyte = 1024 * 1024;
const smallFiles = fileURLToPath(new URL('../support/fixtures/agent-with-small-files.ts', import.meta.url));

test('uploads and downloads 256 MiB unchanged without growing', async () => {
  await using agent = await startWithFiles();
  await agent.write('warm', Buffer.alloc(mebibyte));
  const before = residentBytes(agent.pid);
  let peak = before;
  const sent = createHash('sha256');
  async function* body() {
    for (let piece = 0; piece < 256; piece++) {
      const bytes = Buffer.alloc(mebibyte, `piece ${piece}`);
      sent.update(bytes);
      peak = Math.max(peak, residentBytes(agent.pid));
      yield bytes;
    }
  }
  const { sha256 } = (await agent.write('large', body())).json();
  expect(sha256).toBe(sent.digest('hex'));

  const response = await agent.send('GET', 'files', { path: 'large' });
  const received = createHash('sha256');
  for await (const piece of response.body ?? []) {
    received.update(piece);
    peak = Math.max(peak, residentBytes(agent.pid));
  }
  expect(received.digest('hex')).toBe(sha256);
  expect(peak - before).toBeLessThan(64 * mebibyte);
}, 120_000);

test('waits for a reader that stops, and does other work meanwhile', async () => {
  await using agent = await startWithFiles();
  writeFileSync(join(agent.workspace, 'large'), Buffer.alloc(200 * mebibyte));
  const before = residentBytes(agent.pid);
  const response = await agent.send('GET', 'files', { path: 'large' });
  expect((await agent.write('x', 'x')).status).toBe(201);
  expect((await agent.run({ code: '6 * 7' })).value).toBe('42');
  expect(residentBytes(agent.pid) - before).toBeLessThan(64 * mebibyte);
  await response.body?.cancel();
  await until('the file to be closed', () => agent.openDescriptors() === 1);
});

test('notices that a file was written without a change of size', async () => {
  await using agent = await startWithFiles();
  const path = join(agent.workspace, 'x');
  const descriptor = openSync(path, 'w');
  for (const letter of 'abcdefgh') {
    writeSync(descriptor, letter, 0);
    const { text, headers } = await agent.read('x');
    expect([text, headers.get('etag')]).toEqual([letter, `"${createHash('sha256').update(letter).digest('hex')}"`]);
  }
  closeSync(descriptor);
});

test('rejects a file that does not fit on a full disk, preserves the old one and leaves no rest', async () => {
  // A limit on the size of the process's files makes a write fail like a full disk, but needs no extra disk.
  await using agent = await startWithFiles({}, smallFiles);
  mkdirSync(join(agent.workspace, 'd'));
  expect((await agent.write('d/x', 'old')).status).toBe(201);
  expect((await agent.write('d/x', Buffer.alloc(3 * mebibyte))).code).toBe('workspace-full');
  const archive = await packedFile(3 * mebibyte);
  expect((await agent.ask('PUT', 'archive', { path: 'd', format: 'tar' }, archive)).code).toBe('workspace-full');
  expect(readdirSync(join(agent.workspace, 'd'))).toEqual(['x']);
  expect((await agent.read('d/x')).text).toBe('old');
});

/** A tar with one file of this size. */
async function packedFile(size: number): Promise<Buffer> {
  await using agent = await startWithFiles();
  writeFileSync(join(agent.workspace, 'large'), Buffer.alloc(size));
  return Buffer.from(await (await agent.send('GET', 'archive', { format: 'tar' })).arrayBuffer());
}

const residentBytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
