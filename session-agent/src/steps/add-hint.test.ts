import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addHint } from './add-hint.ts';

let workspace: string;
beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'holdfast-hint-'));
});
afterAll(() => rmSync(workspace, { recursive: true }));

const hintFor = (message: string, code: string, folder = '/nowhere/data') =>
  addHint({ name: 'E', message, traceback: ['E'] }, { code, workspace, folder }).traceback[1];

test.each([
  ["[Errno 2] No such file or directory: '/mnt/data/x.csv'", 'open(path)'],
  ["ENOENT: no such file or directory, open '/mnt/data'", 'read()'],
  ['exit status 1', 'cat /mnt/data/x.csv'],
  ['unable to open database file', 'sqlite3.connect("/mnt/data/x.db")'],
])('names the workspace if the error %j is about the usual folder', (message, code) => {
  expect(hintFor(message, code)).toMatch(/^Hint: \/mnt\/data does not lead to the workspace .*relative paths/);
  expect(hintFor(message, code)).toContain(workspace);
});

test.each([
  ["[Errno 2] No such file or directory: '/workspace/x.csv'", 'open(path)'],
  ['exit status 1', 'cd /workspace && ls'],
  ['exit status 1', 'ls>/workspace'],
])('names the workspace if the error %j is about its path in the API', (message, code) => {
  expect(hintFor(message, code)).toMatch(/^Hint: \/workspace does not lead to the workspace .*relative paths/);
});

test.each([
  ["No such file or directory: 'x.csv'", 'open("x.csv")'],
  ["No such file or directory: '/srv/ses-1/workspace/x'", 'open("./workspace/x", "/workspace-old")'],
  ["No such file or directory: '/mnt/database/x'", 'open("/mnt/data-old/x")'],
])('leaves the error %j as it is', (message, code) => {
  expect(hintFor(message, code)).toBeUndefined();
});

test('leaves an error as it is if the folder leads to the workspace', () => {
  const link = join(workspace, 'link');
  symlinkSync(workspace, link);
  expect(hintFor("No such file or directory: '/mnt/data/x'", '', link)).toBeUndefined();
});
