import type { Step, StepEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { governedSession, proposing, text } from './governed-session.ts';

let installation: Installation;
let holdfast: Holdfast;
let db: Database;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  db = installation.database.db;
}, 120_000);
afterAll(() => installation[Symbol.asyncDispose]());

const session = (body: object = {}) => governedSession({ installation, holdfast, db }, { policy: proposing, ...body });

const before = { 'a.txt': text('old\n'), 'd/run.sh': text('#!/bin/sh\n', true), 'gone.txt': text('gone') };

/** A session with three files in its world, one of them executable. */
async function withFiles() {
  const one = await session();
  await one.files.put('a.txt', 'old\n');
  await one.files.put('gone.txt', 'gone');
  const made = await one.run(
    'import os; os.mkdir("d"); open("d/run.sh", "w").write("#!/bin/sh\\n"); os.chmod("d/run.sh", 0o755)',
  );
  await one.commit(made.proposals[0]?.id ?? '');
  return one;
}

test('the changes of a step are one proposal, and not in the world until the host commits it', async () => {
  const one = await session();
  await one.files.put('a.txt', 'old\n');
  const step = await one.run(
    'import os\nopen("a.txt", "w").write("new\\n")\nos.makedirs("d/e")\nopen("d/b.bin", "wb").write(b"\\x00\\x01")',
  );
  expect(step.outcome).toEqual({ tag: 'proposed' });
  const [proposal] = step.proposals;
  expect(proposal).toMatchObject({ number: 1, changeCount: 4 });
  expect(await one.world()).toEqual({ 'a.txt': text('old\n') });
  const id = proposal?.id ?? '';
  const read = await one.read(id);
  expect(read).toMatchObject({ id, status: 'open', stepId: step.id });
  expect(read.changes.map(({ path, kind, change, diffOmission }) => [path, kind, change, diffOmission])).toEqual([
    ['a.txt', 'file', 'modified', null],
    ['d/b.bin', 'file', 'created', 'binary'],
    ['d', 'directory', 'created', null],
    ['d/e', 'directory', 'created', null],
  ]);
  expect(read.changes[0]?.diff).toBe(
    'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n',
  );
  expect((await one.commit(id)).body).toMatchObject({ status: 'committed', decidedBy: 'host' });
  expect(await one.world()).toEqual({ 'a.txt': text('new\n'), 'd/b.bin': text('\x00\x01') });
  expect(one.workingCopy()).toEqual({ 'a.txt': text('new\n'), d: '/', 'd/b.bin': text('\x00\x01'), 'd/e': '/' });
  expect((await one.commit(id)).status).toBe(200);
  expect(await one.reject(id)).toMatchObject({ status: 409, body: { code: 'proposal-conflict' } });
});

test('the events of a step have its proposal right before the end, and a replay is the same', async () => {
  const one = await session();
  const events: StepEvent[] = [];
  for await (const event of holdfast.streamStep(one.id, { code: 'open("a", "w").write("a")' })) events.push(event);
  expect(events.slice(-3).map(({ type }) => type)).toEqual(['artifact', 'proposal', 'finished']);
  const end = events.at(-1) as Extract<StepEvent, { type: 'finished' }>;
  const { proposals, outcome } = end.step as Step;
  expect([events.at(-2), outcome]).toMatchObject([proposals[0], { tag: 'proposed' }]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const replayed: StepEvent[] = [];
  for await (const event of holdfast.followStep(one.id, end.step.id)) replayed.push(event);
  expect(replayed).toEqual(events);
});

/** Each changes `a.txt` to `new`, makes `d/run.sh` a file that cannot be executed, and removes `gone.txt`. */
const ways = {
  open: `import os
open("a.txt", "w").write("new"); os.chmod("d/run.sh", 0o600); os.remove("gone.txt")`,
  rename: `import os
open("/tmp/r", "w").write("new")
import shutil; shutil.copy("/tmp/r", "a.tmp"); os.rename("a.tmp", "a.txt")
os.rename("gone.txt", "there.txt"); os.remove("there.txt"); os.chmod("d/run.sh", 0o644)`,
  'a hard link': `import os
os.link("a.txt", "link"); open("link", "w").write("new"); os.remove("link")
os.chmod("d/run.sh", 0o644); os.unlink("gone.txt")`,
  'a symbolic link': `import os
os.symlink("a.txt", "link"); open("link", "w").write("new"); os.remove("link")
os.symlink("d", "e"); os.chmod("e/run.sh", 0o644); os.remove("e"); os.unlink("gone.txt")`,
  'a memory map': `import mmap, os
with open("a.txt", "r+b") as f:
  with mmap.mmap(f.fileno(), 0) as m: m[0:3] = b"new"; m.flush()
os.truncate("a.txt", 3); os.chmod("d/run.sh", 0o644); os.unlink("gone.txt")`,
  'child processes': `import subprocess
subprocess.run(["sh", "-c", "printf new > a.txt; chmod -x d/run.sh; rm gone.txt"], check=True)`,
};
const bash = 'printf new > a.txt; chmod -x d/run.sh; rm gone.txt';
const node = `const fs = require("fs"); fs.writeFileSync("a.txt", "new"); fs.chmodSync("d/run.sh", 0o644); fs.rmSync("gone.txt")`;

const changed = { 'a.txt': text('new'), d: '/', 'd/run.sh': text('#!/bin/sh\n') };
const cases = [
  ...Object.entries(ways).map(([way, code]) => [way, { code }] as const),
  ['bash', { code: bash, language: 'bash' }] as const,
  ['Node', { code: node, language: 'node' }] as const,
];

test.each(cases)(
  'a change by %s does not reach the world, and a rejection puts back bytes, modes and absence',
  async (_, step) => {
    const one = await withFiles();
    expect(await one.world()).toEqual(before);
    const ran = await one.run(step.code, step);
    expect([ran.error, one.workingCopy()]).toEqual([null, changed]);
    expect(await one.world()).toEqual(before);
    const [id = ''] = ran.proposals.map((proposal) => proposal.id);
    expect((await one.reject(id)).body).toMatchObject({ status: 'rejected' });
    expect(one.workingCopy()).toEqual({ ...before, d: '/' });
    expect(await one.world()).toEqual(before);
    expect(await one.open()).toEqual([]);
  },
);
