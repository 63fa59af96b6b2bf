import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FilesClient, filesClient, workspaceOf } from '../support/files-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

const swapLinks = fileURLToPath(new URL('../../../session-agent/test/support/fixtures/swap_links.py', import.meta.url));
/** The rounds of every operation by each of four clients. */
const rounds = Number(process.env.HOLDFAST_TEST_FILE_RACES ?? 10);
const canary = 'must not be read';

let installation: Installation;
let holdfast: Holdfast;
let files: FilesClient;
let outside: string;
let racer: ChildProcess;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  files = filesClient(holdfast, (await holdfast.createSession()).id);
  const workspace = workspaceOf(installation.dataDir, files.sessionId);
  outside = `${workspace}-outside`;
  mkdirSync(outside);
  writeFileSync(join(outside, 'x'), canary);
  await files.put('d/x', 'inside');
  symlinkSync(outside, join(workspace, 'link'));
  racer = spawn('python3', ['-I', '-S', swapLinks, join(workspace, 'd'), join(workspace, 'link')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(racer.stdout as NodeJS.ReadableStream, 'data');
});

afterAll(async () => {
  racer.kill('SIGKILL');
  await once(racer, 'close');
  await installation[Symbol.asyncDispose]();
});

test('no operation reads or changes a file outside while code exchanges a directory for a link', async () => {
  const seen = { done: 0, refused: 0 };
  const operations = [
    () => files.put('d/x', 'written'),
    () => files.get('d/x'),
    () => files.ask('PUT', 'archive', { query: { path: 'd' }, body: Buffer.alloc(1024) }),
    () => files.move('d/x', 'd/y', true),
    () => files.remove('d/y'),
    () => files.ask('GET', 'archive', { query: { path: 'd' } }),
  ];
  const work = async () => {
    for (let round = 0; round < rounds; round++) {
      for (const operation of operations) {
        const { status, text } = await operation();
        expect(status).toBeLessThan(500);
        expect(text).not.toContain(canary);
        seen[status < 300 ? 'done' : 'refused'] += 1;
      }
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  // Both outcomes prove that the exchange took place meanwhile.
  expect(Math.min(seen.done, seen.refused)).toBeGreaterThan(rounds);
  expect(readdirSync(outside)).toEqual(['x']);
  expect(readFileSync(join(outside, 'x'), 'utf8')).toBe(canary);
}, 120_000);
