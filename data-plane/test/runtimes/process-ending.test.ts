import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { destroySandbox } from '../../src/runtimes/process/destroy-sandbox.ts';
import { endProcess } from '../../src/runtimes/process/end-processes.ts';
import { isStillRunning, runningProcesses, variable } from '../../src/runtimes/process/running-processes.ts';
import type { Sandbox } from '../../src/runtimes/runtime.ts';
import { eventually } from '../support/eventually.ts';
import { agentOf, dataDirPerTest, launch, marked, processRuntime } from '../support/process-runtime.ts';

const at = dataDirPerTest();

test('ends processes that left the group, hide their mark or ignore SIGTERM', async () => {
  const runtime = processRuntime(at.dataDir, { FIXTURE_FAULT: 'leaves processes' });
  const { uid } = await launch(runtime, at.name);
  const [before, bare] = await eventually(async () => {
    const all = await runningProcesses();
    const ours = all.filter((process) => variable(process, 'HOLDFAST_SANDBOX_UID') === uid);
    const unmarked = all.filter(
      ({ parentPid, environ }) => environ === '\0' && ours.some(({ pid }) => pid === parentPid),
    );
    expect(ours.filter(({ parentPid }) => !ours.some(({ pid }) => pid === parentPid))).toHaveLength(2);
    expect(ours.length).toBeGreaterThanOrEqual(5);
    expect(unmarked).toHaveLength(1);
    return [ours, unmarked];
  });
  await runtime.destroy({ name: at.name, uid });
  const after = await Promise.all([...before, ...bare].map(isStillRunning));
  expect(after).not.toContain(true);
});

test('ends the processes that a crashed agent left behind', async () => {
  const runtime = processRuntime(at.dataDir, { FIXTURE_FAULT: 'leaves processes' });
  const { uid, endpoint } = await launch(runtime, at.name);
  await eventually(async () => expect((await marked(uid)).length).toBeGreaterThanOrEqual(5));
  await fetch(`${endpoint}/exit`).catch(() => {});
  const message = 'the session-agent ended with exit code 4';
  await eventually(async () =>
    expect(await runtime.inspect(at.name)).toMatchObject({
      phase: 'ended',
      cause: { reason: 'sandbox_exited', message },
    }),
  );
  expect(await marked(uid)).not.toEqual([]);
  await runtime.destroy({ name: at.name, uid });
  expect(await marked(uid)).toEqual([]);
});

test('kills an agent that ignores SIGTERM', async () => {
  const { uid } = await launch(processRuntime(at.dataDir, { FIXTURE_FAULT: 'ignores SIGTERM' }), at.name);
  const agent = await agentOf(uid);
  await endProcess(agent, 50);
  await eventually(async () => expect(await marked(uid)).toEqual([]));
});

test('does not touch a later process with the same pid', async () => {
  const { uid } = await launch(processRuntime(at.dataDir), at.name);
  const agent = await agentOf(uid);
  await endProcess({ ...agent, startTicks: agent.startTicks - 1 }, 50);
  expect(await isStillRunning(agent)).toBe(true);
});

test('shows a folder without a readable record as ended, and destroys it', async () => {
  const runtime = processRuntime(at.dataDir);
  await mkdir(join(at.dataDir, 'sandboxes', at.name));
  await writeFile(join(at.dataDir, 'sandboxes', at.name, 'sandbox.json'), '{"uid": 7');
  const [sandbox] = await runtime.list();
  expect(sandbox).toMatchObject({ name: at.name, phase: 'ended' });
  await runtime.destroy({ name: at.name, uid: newId('uid') });
  expect(await runtime.list()).toHaveLength(1);
  await runtime.destroy(sandbox as Sandbox);
  expect(await runtime.list()).toEqual([]);
});

test('removes a workspace that code has closed with chmod', async () => {
  const { uid } = await launch(processRuntime(at.dataDir), at.name);
  const shut = join(at.dataDir, 'sandboxes', at.name, 'workspace', 'shut');
  await mkdir(join(shut, 'below'), { recursive: true });
  await writeFile(join(shut, 'below', 'file'), '');
  await chmod(join(shut, 'below'), 0o000);
  await chmod(shut, 0o000);
  await processRuntime(at.dataDir).destroy({ name: at.name, uid });
  expect(await readdir(join(at.dataDir, 'sandboxes'))).toEqual([]);
});

test('rejects a name that leads out of the directory', async () => {
  const outside = { sandboxesDir: join(at.dataDir, 'sandboxes'), owner: { place: 'nowhere', database: 'db-1' } };
  await mkdir(join(at.dataDir, 'precious'));
  await expect(destroySandbox(outside, { name: '../precious', uid: 'unknown' })).rejects.toThrow(
    'is not the name of a sandbox',
  );
  expect(await readdir(at.dataDir)).toContain('precious');
});
