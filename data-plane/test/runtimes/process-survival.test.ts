import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createProcessRuntime } from '../../src/runtimes/process/create-process-runtime.ts';
import { eventually } from '../support/eventually.ts';
import {
  dataDirPerTest,
  fixture,
  launch,
  marked,
  processRuntime,
  processRuntimeOptions,
} from '../support/process-runtime.ts';

const at = dataDirPerTest();
const strays: ChildProcess[] = [];
afterEach(async () => {
  for (const stray of strays.splice(0)) {
    if (stray.kill('SIGKILL')) await once(stray, 'exit');
  }
});

test('a sandbox survives the kill -9 of its data-plane, and the next one finds and ends it', async () => {
  const dataPlane = start();
  const [line] = await once(dataPlane.stdout, 'data');
  const launched = JSON.parse(String(line));
  dataPlane.kill('SIGKILL');
  await once(dataPlane, 'exit');

  const runtime = processRuntime(at.dataDir);
  const { uid, endpoint } = launched;
  expect(await runtime.list()).toMatchObject([{ name: at.name, uid, endpoint, phase: 'running' }]);
  expect(await (await fetch(endpoint, { headers: { connection: 'close' } })).text()).toBe(uid);
  expect(await launch(runtime, at.name)).toMatchObject({ uid });
  await runtime.destroy({ name: at.name, uid });
  expect(await marked(uid)).toEqual([]);
});

test('a sandbox whose data-plane was killed before it knew the port is shown without an endpoint and replaced', async () => {
  const dataPlane = start({ FIXTURE_FAULT: 'never reports' });
  const runtime = processRuntime(at.dataDir);
  const first = await eventually(async () => {
    const [sandbox] = await runtime.list();
    if (sandbox?.phase !== 'starting') throw new Error('it does not run yet');
    return sandbox;
  });
  dataPlane.kill('SIGKILL');
  await once(dataPlane, 'exit');
  expect(await runtime.inspect(at.name)).toMatchObject({ uid: first.uid, endpoint: null, phase: 'starting' });
  const second = await launch(runtime, at.name);
  expect(second.uid).not.toBe(first.uid);
  expect(await marked(first.uid)).toEqual([]);
});

test('control planes of other directories and deployments do not see each other', async () => {
  const { uid } = await launch(processRuntime(at.dataDir), at.name);
  const neighbour = createProcessRuntime({ ...processRuntimeOptions(at.dataDir), deployment: 'another' });
  const [seen] = await neighbour.list();
  expect(seen?.phase).toBe('ended');
  const elsewhere = await mkdtemp(join(tmpdir(), 'holdfast-runtime-'));
  expect(await processRuntime(elsewhere).list()).toEqual([]);
  await rm(elsewhere, { recursive: true });
  expect(await marked(uid)).toHaveLength(1);
});

/** A data-plane in a process of its own. */
function start(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [fixture('launch-sandbox.ts'), at.dataDir, fixture('agent.ts'), at.name], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  strays.push(child);
  return child;
}
