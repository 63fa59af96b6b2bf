import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change, DirectoryChange } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, readTo, report, type StepReport } from '../support/agent-client.ts';
import { type FilesClient, startWithFiles } from '../support/files-client.ts';

let agent: FilesClient;
beforeAll(async () => {
  agent = await startWithFiles({ HOLDFAST_AGENT_PYTHON_PRELOAD: 'none' });
  await agent.call('PUT', '/v1/session', { language: 'python', env: {} });
  await agent.run({ code: '"ready"' });
});
afterAll(async () => {
  expect(agent.log()).toBe('');
  await agent[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await agent.run({ contextId: 'bash', code: 'find . -mindepth 1 -delete' });
});

const changesOf = ({ frames }: StepReport) =>
  frames.filter(({ type }) => type === 'changes').flatMap(({ json }) => json.changes as Change[]);
const short = (step: StepReport) =>
  changesOf(step).map(({ path, change, size, concurrent, omission }) =>
    [change, path, size, ...(concurrent ? ['concurrent'] : []), ...(omission ? [omission] : [])].join(' '),
  );
const bash = (code: string) => agent.run({ contextId: 'bash', code });
const readVersion = ({ path, version = '' }: Partial<Change>) =>
  agent.ask('GET', 'files', { path: path ?? '', version });

test('reports created, modified and deleted files right before the end of a step, and nothing if there are none', async () => {
  await agent.write('data.csv', '1\n');
  await agent.write('old.txt', 'old');
  const quiet = await agent.run({ code: 'open("data.csv").read()' });
  expect(quiet.frames.map(({ type }) => type)).toEqual(['started', 'result', 'done']);
  const step = await agent.run({
    code: 'import os; os.makedirs("d"); print(2, file=open("data.csv", "a")); open("d/plot.png", "w").write("png"); os.remove("old.txt")',
  });
  expect(step.frames.map(({ type }) => type).slice(-2)).toEqual(['changes', 'done']);
  expect(short(step)).toEqual(['created d/plot.png 3', 'modified data.csv 4', 'deleted old.txt 0']);
});

const directoriesOf = ({ frames }: StepReport): DirectoryChange[][] =>
  frames.filter(({ type }) => type === 'changes').map(({ json }) => (json.directories ?? []) as DirectoryChange[]);

test('reports directories in a list of their own, in as many frames as they need', async () => {
  const step = await bash('mkdir -p d/e && echo x > d/e/file && mkdir gone && rmdir gone');
  expect(directoriesOf(step)).toEqual([['d', 'd/e'].map((path) => ({ path, change: 'created' }))]);
  expect(short(step)).toEqual(['created d/e/file 2']);
  const many = directoriesOf(await bash('mkdir $(seq 1100)'));
  expect(many.map((part) => part.length)).toEqual([500, 500, 100]);
  const removed = directoriesOf(await bash('rm -r d')).flat();
  expect(removed).toEqual(['d', 'd/e'].map((path) => ({ path, change: 'deleted' })));
});

test('attributes a directory that the host makes between steps to no step', async () => {
  expect((await agent.json('directories', { path: 'made/below' })).status).toBe(201);
  expect(directoriesOf(await bash('mkdir own')).flat()).toEqual([{ path: 'own', change: 'created' }]);
});

test('leaves no caches of imported modules behind', async () => {
  await agent.write('helper.py', 'answer = 42');
  expect(short(await agent.run({ code: 'import helper; helper.answer' }))).toEqual([]);
  expect(short(await bash('python3 -c "import helper"'))).toEqual([]);
  const env = { PYTHONDONTWRITEBYTECODE: '' };
  const own = await agent.call('POST', '/v1/contexts', { contextId: newId('ctx'), language: 'python', env });
  expect(own.status).toBe(201);
  const wanted = await agent.run({ contextId: own.body.contextId, code: 'import helper' });
  expect(short(wanted).join()).toMatch(/^created __pycache__\/helper\.cpython-\d+\.pyc \d+$/);
});

test('reports the changes of a step that fails, is interrupted or ends its kernel', async () => {
  expect(short(await bash('echo x > failed; false'))).toEqual(['created failed 2']);
  expect(short(await bash('echo x > dead; kill -9 $$'))).toEqual(['created dead 2']);
  const late = await agent.run({ contextId: 'bash', code: 'echo x > late; sleep 60', timeoutMs: 500 });
  expect([late.done.status, short(late)]).toEqual(['timed_out', ['created late 2']]);
});

test('reports a change for each of the steps that overlap, as concurrent, and a job beside them has its own alone', async () => {
  await agent.write('job.sh', 'touch by-job; echo up; until [ -e go ]; do sleep 0.05; done');
  const step = await agent.open({
    contextId: 'bash',
    code: 'touch by-step; echo up; until [ -e go ]; do sleep 0.05; done',
  });
  await readTo(step.frames, 'stdout');
  const job = await agent.openJob({ language: 'bash', filename: 'job.sh' });
  await readTo(job.frames, 'stdout');
  await agent.run({ code: 'open("go", "w").close()' });
  const changes = short(report(step.stepId, await all(step.frames)));
  expect(changes).toContain('created go 0 concurrent');
  expect(changes.join()).not.toContain('by-job');
  expect(short(report(job.jobId, await all(job.frames)))).toEqual(['created by-job 0']);
  expect(short(await bash('touch alone'))).toEqual(['created alone 0']);
});

test('attributes changes that the host makes between steps to no step', async () => {
  await agent.write('a', 'a');
  const archive = await agent.send('GET', 'archive', { format: 'tar' });
  const bytes = Buffer.from(await archive.arrayBuffer());
  await bash(':');
  await agent.ask('PUT', 'archive', { format: 'tar', path: 'unpacked' }, bytes);
  await agent.write('b', 'b');
  await agent.call('POST', '/v1/files/move', { from: 'a', to: 'moved' });
  await agent.ask('DELETE', 'files', { path: 'b' });
  expect(short(await bash(':'))).toEqual([]);
});

test('reads exactly the state that a step left, by its version', async () => {
  const [first] = changesOf(await bash('printf one > x'));
  const answer = await readVersion(first ?? {});
  expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, 'one', '3']);
  expect([answer.headers.get('etag'), answer.headers.get('accept-ranges')]).toEqual([null, null]);
  const [second] = changesOf(await bash('printf two > x'));
  expect((await readVersion(first ?? {})).code).toBe('precondition-failed');
  expect((await readVersion(second ?? {})).text).toBe('two');
  for (const away of ['rm x', 'mkdir x', 'rmdir x; ln -s /etc/passwd x', 'rm x; mkfifo x']) {
    await bash(away);
    expect([away, (await readVersion(second ?? {})).code]).toEqual([away, 'precondition-failed']);
  }
  expect((await readVersion({ path: 'x', version: 'rubbish' })).code).toBe('precondition-failed');
});

test('rejects or cuts off a file that is still being written, and never mixes two states', async () => {
  const size = 32 * 1024 * 1024;
  const [change] = changesOf(await bash(`head -c ${size} /dev/zero > log`));
  const whole = await agent.send('GET', 'files', { path: 'log', version: change?.version ?? '' });
  expect((await whole.arrayBuffer()).byteLength).toBe(size);
  const cut = await agent.send('GET', 'files', { path: 'log', version: change?.version ?? '' });
  writeFileSync(join(agent.workspace, 'log'), 'x', { flag: 'r+' });
  expect(
    await cut.arrayBuffer().then(
      () => 'whole',
      () => 'cut off',
    ),
  ).toBe('cut off');
});

test('never reads the bytes of another step under a version, however often a file is rewritten in place', async () => {
  const code = 'with open("x", "r+b" if __import__("os").path.exists("x") else "wb") as f: f.write(b"%d")';
  for (let round = 0; round < 9; round++) {
    const [change] = changesOf(await agent.run({ code: code.replace('%d', String(round)) }));
    const reading = readVersion(change ?? {});
    await agent.run({ code: code.replace('%d', String(9)) });
    const { status, text } = await reading;
    expect([status, text]).toEqual(status === 200 ? [200, String(round)] : [412, text]);
  }
});

test('lists links, FIFOs, devices and invalid names as omissions', async () => {
  const step = await agent.run({
    code: `import os
os.symlink("/etc/passwd", "link"); os.mkfifo("fifo"); open(b"n\\xff", "w").close()
deep, top = "d" * 200, os.getcwd()
for _ in range(25):
    os.mkdir(deep); os.chdir(deep)
open("x", "w").close()
os.chdir(top)`,
  });
  const deep = changesOf(step).find(({ path }) => path.startsWith('ddd'));
  expect([deep?.omission, deep?.version, deep?.path.length]).toEqual(['invalid-name', undefined, 1024]);
  expect(short(step).filter((line) => !line.includes('ddd'))).toEqual([
    'created fifo 0 not-a-file',
    'created link 0 not-a-file',
    'created n\ufffd 0 invalid-name',
  ]);
});

test('reports the files of an archive, each with its version', async () => {
  mkdirSync(join(agent.workspace, 'from'));
  for (const name of ['a', 'b']) writeFileSync(join(agent.workspace, 'from', name), name);
  const archive = Buffer.from(
    await (await agent.send('GET', 'archive', { format: 'zip', path: 'from' })).arrayBuffer(),
  );
  await agent.write('to/a', 'older');
  const { changes } = (await agent.ask('PUT', 'archive', { format: 'zip', path: 'to' }, archive)).json();
  expect(changes).toMatchObject([
    { path: 'to/a', change: 'modified', size: 1, concurrent: false },
    { path: 'to/b', change: 'created', size: 1, concurrent: false },
  ]);
  for (const change of changes) expect((await readVersion(change)).text).toBe(change.path.slice(-1));
});

test('reports just the two changed files among 5,000, and all of 700 new ones', async () => {
  execFileSync('sh', ['-c', 'mkdir a b; seq -f a/f%g 2500 | xargs touch; seq -f b/f%g 2500 | xargs touch'], {
    cwd: agent.workspace,
  });
  await agent.write('data.csv', '1');
  const step = await agent.run({ code: 'open("plot.png", "w").write("png"); open("data.csv", "a").write("2")' });
  expect(short(step)).toEqual(['modified data.csv 2', 'created plot.png 3']);
  const many = await bash('mkdir many; seq -f many/f%g 700 | xargs touch');
  expect([changesOf(many).length, many.frames.filter(({ type }) => type === 'changes').length]).toEqual([700, 2]);
});
