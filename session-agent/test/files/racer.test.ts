import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from '@holdfast/specs/public';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listFiles } from '../../src/files/read/list-files.ts';
import { openFile } from '../../src/files/read/open-file.ts';
import { readFile } from '../../src/files/read/read-file.ts';
import { openWorkspaceFiles, type WorkspaceFiles } from '../../src/files/workspace-files.ts';
import { deleteFile } from '../../src/files/write/delete-file.ts';
import { moveFile } from '../../src/files/write/move-file.ts';
import { writeFile } from '../../src/files/write/write-file.ts';

const swapLinks = fileURLToPath(new URL('../support/fixtures/swap_links.py', import.meta.url));
const rounds = 5000;
const canary = 'nobody reads this';

let folder: string;
let outside: string;
let files: WorkspaceFiles;
let racer: ChildProcess;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-racer-')));
  outside = join(folder, 'outside');
  const workspace = join(folder, 'workspace');
  for (const made of [outside, workspace, join(workspace, 'd')]) mkdirSync(made);
  writeFileSync(join(outside, 'x'), canary);
  writeFileSync(join(outside, 'only-outside'), canary);
  writeFileSync(join(workspace, 'd', 'x'), 'inside');
  symlinkSync(outside, join(workspace, 'link'));
  files = openWorkspaceFiles({ workspace, fileBytesMax: 1024, archiveBytesMax: 1024 });
  racer = spawn('python3', ['-I', '-S', swapLinks, join(workspace, 'd'), join(workspace, 'link')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(racer.stdout as NodeJS.ReadableStream, 'data');
});

afterEach(async () => {
  racer.kill('SIGKILL');
  await once(racer, 'close');
  files.workspace.close();
  rmSync(folder, { recursive: true });
});

/** Counts the rejections; an error that is not a Problem fails the test. */
async function attempt(work: () => unknown): Promise<'done' | 'refused'> {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (error instanceof Problem) return 'refused';
    throw error;
  }
}

const body = async function* (text: string) {
  yield Buffer.from(text);
};

async function readText(path: string): Promise<string> {
  using file = openFile(files.workspace, path);
  let text = '';
  for await (const piece of readFile(file, { start: 0, end: Number(file.stats.size) })) text += piece;
  return text;
}

test('stays inside in 10,000 writes and reads while a directory is exchanged for a link', async () => {
  const seen = { done: 0, refused: 0 };
  for (let round = 0; round < rounds; round++) {
    seen[await attempt(() => writeFile(files, { path: 'd/x', body: body('written'), bytesMax: 100 }))] += 1;
    const how = await attempt(async () => expect(await readText('d/x')).not.toContain(canary));
    seen[how] += 1;
  }
  // Both happened, so the exchange was really going on.
  expect(Math.min(seen.done, seen.refused)).toBeGreaterThan(rounds / 100);
  expect(readdirSync(outside).toSorted()).toEqual(['only-outside', 'x']);
  expect(readFileSync(join(outside, 'x'), 'utf8')).toBe(canary);
}, 120_000);

test('stays inside in lists, moves and deletions while a directory is exchanged for a link', async () => {
  const seen = { done: 0, refused: 0 };
  for (let round = 0; round < rounds / 5; round++) {
    const list = async () =>
      expect(listFiles(files.workspace, { path: '', depth: 4 }).items.map(({ path }) => path)).not.toContain(
        'd/only-outside',
      );
    const move = () => moveFile(files.workspace, { from: 'd/only-outside', to: 'stolen', overwrite: true });
    const take = () => deleteFile(files, { path: 'd/only-outside', recursive: true });
    for (const work of [list, move, take]) seen[await attempt(work)] += 1;
  }
  await attempt(() => deleteFile(files, { path: 'd', recursive: true }));
  expect(seen.refused).toBeGreaterThan(0);
  expect(readdirSync(outside).toSorted()).toEqual(['only-outside', 'x']);
}, 120_000);
