import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobRequest, StepReport } from '../support/agent-client.ts';

import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
});
afterAll(async () => {
  expect(agent.log()).toBe('');
  await agent[Symbol.asyncDispose]();
});

const changesOf = ({ frames }: StepReport) =>
  frames
    .filter(({ type }) => type === 'changes')
    .flatMap(({ json }) => json.changes as { path: string; change: string; concurrent: boolean }[])
    .map(({ path, change, concurrent }) => `${change} ${path}${concurrent ? ' with others' : ''}`);

const run = (language: JobRequest['language'], code: string) => agent.runJob({ language, filename: 'main', code });
const inWorkspace = (path: string) => join(agent.workspace, path);

/** Each changes files in all ways that its language has, of which the last ends the job that runs beside. */
const programs = {
  bash: `cd old; echo new > made; echo more >> changed; chmod +x mode; rm removed; mkdir -p deep/er; mv moved deep/er/moved
ln -s made link; (cd deep && echo x > child); mv folder other; touch touched; rm ../beside`,
  python: `import os, pathlib, shutil, subprocess
os.chdir('old')
open('made', 'w').close(); open('changed', 'a').write('more'); os.chmod('mode', 0o755); os.remove('removed')
os.makedirs('deep/er'); os.rename('moved', 'deep/er/moved'); os.symlink('made', 'link')
subprocess.run(['sh', '-c', 'echo x > child'], cwd='deep'); shutil.move('folder', 'other'); pathlib.Path('touched').touch()
os.remove('../beside')`,
  node: `const fs = require('node:fs'); process.chdir('old');
fs.writeFileSync('made', ''); fs.appendFileSync('changed', 'more'); fs.chmodSync('mode', 0o755); fs.unlinkSync('removed');
fs.mkdirSync('deep/er', { recursive: true }); fs.renameSync('moved', 'deep/er/moved'); fs.symlinkSync('made', 'link');
require('node:child_process').execSync('echo x > child', { cwd: 'deep' }); fs.renameSync('folder', 'other');
fs.promises.utimes('touched', 1, 2).then(() => fs.promises.rm('../beside'));`,
  bun: `const fs = require('node:fs'); process.chdir('old');
fs.writeFileSync('made', ''); fs.appendFileSync('changed', 'more'); fs.chmodSync('mode', 0o755); fs.unlinkSync('removed');
fs.mkdirSync('deep/er', { recursive: true }); fs.renameSync('moved', 'deep/er/moved'); fs.symlinkSync('made', 'link');
require('node:child_process').execSync('echo x > child', { cwd: 'deep' }); fs.renameSync('folder', 'other');
fs.promises.utimes('touched', 1, 2).then(() => fs.promises.rm('../beside'));`,
};
const changes = [
  'deleted beside',
  ...['modified old/changed', 'created old/deep/child', 'created old/deep/er/moved'],
  ...['deleted old/folder/inner', 'created old/link', 'created old/made', 'modified old/mode', 'deleted old/moved'],
  ...['created old/other/inner', 'deleted old/removed', 'modified old/touched'],
];

test.for(['bash', 'python', 'node', 'bun'] as const)(
  'jobs that run at the same time report their own changes and no others, one of them in %s',
  async (language) => {
    const name = (path: string) => inWorkspace(join('old', path));
    mkdirSync(name('folder'), { recursive: true });
    for (const path of ['changed', 'mode', 'removed', 'moved', 'folder/inner', 'touched'])
      writeFileSync(name(path), '');
    writeFileSync(inWorkspace('beside'), '');
    await agent.runJob({ language: 'bash', filename: 'main', code: ':' });
    const wait = 'while [ -e beside ]; do sleep 0.05; done; echo end >> ';
    const alone = run('bash', `echo a > alone-${language}; ${wait} alone-${language}`);
    await until('a job that runs beside', () => existsSync(inWorkspace(`alone-${language}`)));
    const third = run('bash', `echo a > third-${language}; ${wait} third-${language}`);
    await until('a job that runs beside', () => existsSync(inWorkspace(`third-${language}`)));
    expect(changesOf(await run(language, programs[language]))).toEqual(changes);
    expect(changesOf(await alone)).toEqual([`created alone-${language}`]);
    expect(changesOf(await third)).toEqual([`created third-${language}`]);
    await agent.runJob({ language: 'bash', filename: 'main', code: 'rm -r old' });
  },
);

test('a file that two jobs have changed is reported by both, as changed with others', async () => {
  const code = 'echo a >> both; while [ $(wc -l < both) -lt 2 ]; do sleep 0.05; done';
  const holding = run('bash', 'until [ -e ended ]; do sleep 0.05; done');
  const [one, other] = await Promise.all([run('bash', code), run('bash', code)]);
  for (const job of [one, other]) expect(changesOf(job)).toEqual(['created both with others']);
  expect(changesOf(await run('bash', 'echo > ended'))).toEqual(['created ended']);
  expect(changesOf(await holding)).toEqual([]);
});

test('a job reports what it changes by names that stand for itself', async () => {
  await run('bash', 'echo a > sent; echo a > printed');
  const alone = run('bash', 'echo a > waits; until [ -e named ]; do sleep 0.05; done');
  await until('a job that runs beside', () => existsSync(inWorkspace('waits')));
  const code = `import os
os.symlink('/proc/self/cwd', 'itself')
for folder in 'one', 'two':
    os.mkdir(folder); os.chdir(folder)
    for name in '/proc/self/cwd/a', '/proc/thread-self/cwd/b', '../itself/c': open(name, 'w').close()
    os.chdir('..')
held = os.open('sent', os.O_RDONLY)
with open('/dev/fd/%d' % held, 'w') as file: file.write('more')
os.dup2(os.open('printed', os.O_RDONLY), 1)
with open('/dev/stdout', 'w') as file: file.write('more')
open('named', 'w').close()`;
  const created = ['itself', 'named', 'one/a', 'one/b', 'one/c', 'two/a', 'two/b', 'two/c'];
  const own = [...created.map((path) => `created ${path}`), 'modified printed', 'modified sent'];
  expect(changesOf(await run('python', code)).toSorted()).toEqual(own);
  expect(changesOf(await alone)).toEqual(['created waits']);
});

const elsewhere = {
  'another root': `mkdir jail; unshare -r python3 -c 'import os; os.chroot("jail"); open("/inner", "w")'`,
  'other mounts': `mkdir bound jail; unshare -rm sh -c 'mount --bind jail bound; echo a > bound/inner'`,
};

test.skipIf(spawnSync('unshare', ['-rm', 'true']).status !== 0).for(Object.entries(elsewhere))(
  'a change by a job whose processes have %s may be that of another job, too',
  async ([, code]) => {
    await run('bash', 'rm -rf jail bound stays goes');
    const alone = run('bash', 'echo a > stays; until [ -e goes ]; do sleep 0.05; done');
    await until('a job that runs beside', () => existsSync(inWorkspace('stays')));
    expect(changesOf(await run('bash', code))).toContain('created jail/inner with others');
    await run('bash', 'echo a > goes');
    expect(changesOf(await alone)).toContain('created jail/inner with others');
  },
);
