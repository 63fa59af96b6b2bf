import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programPath } from '../../../runtime-images/test/support/program-path.ts';
import { createProcessRuntime } from '../../src/runtimes/process/create-process-runtime.ts';
import { observeSandboxes } from '../../src/runtimes/process/observe-sandboxes.ts';
import { runningProcesses } from '../../src/runtimes/process/running-processes.ts';
import { sandboxFolder } from '../../src/runtimes/process/sandbox-folder.ts';
import type { Sandbox } from '../../src/runtimes/runtime.ts';
import { eventually } from '../support/eventually.ts';
import {
  agentOf,
  dataDirPerTest,
  launch,
  marked,
  processRuntime,
  processRuntimeOptions,
} from '../support/process-runtime.ts';

const at = dataDirPerTest();

test('launches the session-agent itself, which answers, and ends it', async () => {
  const runtime = createProcessRuntime({
    ...processRuntimeOptions(at.dataDir, {
      HOLDFAST_ENV: 'development',
      HOLDFAST_AGENT_ISSUER: 'test',
      HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true',
    }),
    agentMain: programPath('session-agent/src/main.ts'),
  });
  const sandbox = await launch(runtime, at.name);
  const response = await fetch(`${sandbox.endpoint}/healthz`, { headers: { connection: 'close' } });
  expect(response.status).toBe(200);
  await runtime.destroy(sandbox);
  expect(await marked(sandbox.uid)).toEqual([]);
});

test('an agent that ends before it reports fails the launch with the end of its log, and leaves nothing', async () => {
  const runtime = processRuntime(at.dataDir, { FIXTURE_FAULT: 'dies early' });
  const failure = await launch(runtime, at.name).catch((error) => error);
  expect(failure).toMatchObject({ name: 'SandboxError', reason: 'sandbox_start_failed' });
  expect(failure.cause.message).toMatch(/exit code 3.*no such interpreter: snobol/s);
  expect(failure.message).not.toContain('snobol');
  expect(await readdir(join(at.dataDir, 'sandboxes'))).toEqual([]);
});

test('an agent that reports nonsense or cannot be started fails the launch and leaves nothing', async () => {
  await expect(
    launch(processRuntime(at.dataDir, { FIXTURE_FAULT: 'reports nonsense' }), at.name),
  ).rejects.toMatchObject({
    reason: 'sandbox_start_failed',
    cause: { message: expect.stringContaining('port 7') },
  });
  const withoutNode = createProcessRuntime({ ...processRuntimeOptions(at.dataDir), node: '/nonexistent/node' });
  await expect(launch(withoutNode, at.name)).rejects.toMatchObject({ reason: 'sandbox_start_failed' });
  expect(await readdir(join(at.dataDir, 'sandboxes'))).toEqual([]);
  expect((await runningProcesses()).filter(({ environ }) => environ.includes(at.name))).toEqual([]);
});

test('ends an agent that never reports together with its launch', async () => {
  const runtime = processRuntime(at.dataDir, { FIXTURE_FAULT: 'never reports' });
  const aborted = new AbortController();
  const outcome = expect(launch(runtime, at.name, aborted.signal)).rejects.toThrow('enough');
  const uid = await eventually(async () => {
    const sandbox = await runtime.inspect(at.name);
    expect(await marked(sandbox?.uid ?? '')).toHaveLength(1);
    return sandbox?.uid ?? '';
  });
  aborted.abort(new Error('enough'));
  await outcome;
  expect(await marked(uid)).toEqual([]);
  expect(await readdir(join(at.dataDir, 'sandboxes'))).toEqual([]);
});

test('gives an agent neither the environment nor the streams of the data-plane, and its files to their owner alone', async () => {
  process.env.HOLDFAST_TEST_CANARY = 'canary';
  const { uid } = await launch(processRuntime(at.dataDir, { GIVEN: 'yes' }), at.name);
  delete process.env.HOLDFAST_TEST_CANARY;
  const agent = await agentOf(uid);
  const names = agent.environ
    .split('\0')
    .filter(Boolean)
    .map((entry) => entry.split('=')[0]);
  expect(names.sort()).toEqual(
    [
      [
        'FIXTURE_FAULT',
        'GIVEN',
        'HOLDFAST_AGENT_PORT',
        'HOLDFAST_AGENT_READY_FD',
        'HOLDFAST_AGENT_TMP',
        'HOLDFAST_SANDBOX_DATABASE',
      ],
      [
        'HOLDFAST_SANDBOX_NAME',
        'HOLDFAST_SANDBOX_OWNER',
        'HOLDFAST_SANDBOX_UID',
        'HOLDFAST_WORKSPACE',
        'HOME',
        'LANG',
        'PATH',
      ],
    ].flat(),
  );
  const folder = join(at.dataDir, 'sandboxes', at.name);
  const log = join(await realpath(folder), 'agent.log');
  const files = await Promise.all([0, 1, 2].map((fd) => readlink(`/proc/${agent.pid}/fd/${fd}`)));
  expect(files).toEqual(['/dev/null', log, log]);
  const modes = await Promise.all(
    ['workspace', 'tmp', 'agent.log', 'sandbox.json'].map(
      async (file) => (await stat(join(folder, file))).mode & 0o777,
    ),
  );
  expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
});

test('shows a sandbox with a folder but no process as starting while it is launched, and as ended otherwise', async () => {
  const sandboxesDir = join(at.dataDir, 'sandboxes');
  await sandboxFolder(sandboxesDir, at.name).create({ uid: 'uid', endpoint: null });
  const observed = {
    sandboxesDir,
    owner: { place: 'nowhere', database: 'db-1' },
    launching: new Map<string, Sandbox>(),
    children: new Map(),
  };
  const [ended] = await observeSandboxes(observed, [at.name]);
  expect(ended).toMatchObject({ name: at.name, uid: 'uid', phase: 'ended' });
  observed.launching.set(at.name, { ...(ended as Sandbox), phase: 'starting' });
  expect(await observeSandboxes(observed, [at.name])).toMatchObject([{ uid: 'uid', phase: 'starting' }]);
});
