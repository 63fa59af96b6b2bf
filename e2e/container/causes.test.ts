import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox, SandboxKey } from '../../data-plane/src/runtimes/runtime.ts';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import { agentImage, importAgentImage } from './import-agent-image.ts';
import { newSandboxName, startContainerRuntime } from './start-container-runtime.ts';
import { type Podman, startPodman } from './start-podman.ts';

let engine: Podman;
let started: Awaited<ReturnType<typeof startContainerRuntime>>;
const ended: SandboxKey[] = [];

beforeAll(async () => {
  engine = await startPodman();
  await importAgentImage(engine);
  const followTimes = { listMs: 60_000, pauseMs: { first: 50, max: 200 } };
  started = await startContainerRuntime(engine, { followTimes });
  started.runtime.onEnded((key) => ended.push(key));
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
});

const toldOf = ({ uid }: Sandbox) => eventually(() => expect(ended.map((key) => key.uid)).toContain(uid));

test('explains an agent that exits by itself by its exit code, also after its container was pruned', async () => {
  const sandbox = await answering(await started.launch());
  await fetch(`${sandbox.endpoint}/exit`).catch(() => {});
  await toldOf(sandbox);
  const cause = { reason: 'sandbox_exited', message: "the agent's container ended: exit code 4" };
  expect(await started.runtime.inspect(sandbox.name)).toMatchObject({ phase: 'ended', cause });
  engine.podman('rm', started.containerOf(sandbox));
  expect(await started.runtime.inspect(sandbox.name)).toBeNull();
  expect(await started.runtime.explain(sandbox)).toEqual(cause);
});

test('explains that an agent was killed for its memory if the engine has noticed', async () => {
  const sandbox = await answering(await started.launch());
  await fetch(`${sandbox.endpoint}/take`).catch(() => {});
  await toldOf(sandbox);
  // Podman with an old conmon does not notice it with cgroups version 1.
  const noticed = engine.podman('inspect', '--format', '{{.State.OOMKilled}}', started.containerOf(sandbox)) === 'true';
  expect(await started.runtime.explain(sandbox)).toMatchObject({
    reason: noticed ? 'oom_killed' : 'sandbox_exited',
    message: expect.stringContaining('exit code 137 (signal 9)'),
  });
});

test.each([
  ['removed by force', ['rm', '--force', '--time', '0']],
  ['killed', ['kill']],
])('explains a container that an operator has %s', async (_, command) => {
  const sandbox = await answering(await started.launch());
  engine.podman(...command, started.containerOf(sandbox));
  await toldOf(sandbox);
  expect(await started.runtime.explain(sandbox)).toMatchObject({ reason: 'deleted_by_operator' });
  await started.runtime.destroy(sandbox);
});

test('does not report an end that we cause', async () => {
  const [wanted, other] = [await started.launch(), await started.launch()];
  await started.runtime.destroy(wanted);
  engine.podman('kill', started.containerOf(other));
  await toldOf(other);
  expect(ended.map(({ uid }) => uid)).not.toContain(wanted.uid);
});

test('a restart of the engine ends no sandbox, and ends during it are reported afterwards', async () => {
  const [staying, ending] = [await started.launch(), await started.launch()];
  await engine.stop();
  await expect(started.runtime.list()).rejects.toMatchObject({ reason: 'runtime_unavailable', retryAfterSeconds: 5 });
  await expect(started.launch()).rejects.toMatchObject({ reason: 'runtime_unavailable' });
  engine.podman('kill', started.containerOf(ending));
  await engine.start();
  await toldOf(ending);
  expect(await started.runtime.inspect(staying.name)).toMatchObject({ uid: staying.uid, phase: 'running' });
  expect(ended.map(({ uid }) => uid)).not.toContain(staying.uid);
});

test('a foreign container with the name of a sandbox is not found, replaced or removed', async () => {
  const name = newSandboxName();
  const container = started.containerOf({ name });
  engine.podman('create', '--name', container, '--network', 'none', '--entrypoint', '/opt/holdfast/run', agentImage);
  expect(await started.runtime.inspect(name)).toBeNull();
  await expect(started.launch(name)).rejects.toMatchObject({ reason: 'sandbox_start_failed' });
  await started.runtime.destroy({ name, uid: 'uid_1' });
  expect(engine.podman('inspect', '--format', '{{.State.Status}}', container)).toBe('created');
  engine.podman('rm', container);
});

test('another deployment on the same engine does not see our sandboxes', async () => {
  const sandbox = await started.launch();
  await using other = await startContainerRuntime(engine);
  expect(await other.runtime.list()).toEqual([]);
  expect(await other.runtime.inspect(sandbox.name)).toBeNull();
});

test('the next data-plane finds the sandboxes of the previous one, with the same uid', async () => {
  const sandbox = await started.launch();
  await using next = await startContainerRuntime(engine, { deployment: started.deployment });
  expect((await next.runtime.list()).map(({ uid }) => uid)).toContain(sandbox.uid);
  await next.runtime.destroy(sandbox);
  expect(started.remains(sandbox.uid)).toEqual([]);
});

test('a missing image fails the launch with its name and leaves nothing', async () => {
  const image = 'localhost/holdfast/nothing:1';
  await using missing = await startContainerRuntime(engine, { profile: { image } });
  await expect(missing.launch()).rejects.toMatchObject({
    reason: 'image_pull_failed',
    message: expect.stringContaining(image),
  });
  expect(
    engine.podman('network', 'ls', '--quiet', '--filter', `label=holdfast.dev/deployment=${missing.deployment}`),
  ).toBe('');
  expect(missing.log.join()).toContain('an image is not on this machine yet');
});

test('a launch fails while no network is free, and works later', async () => {
  const subnet = { first: 10 * 2 ** 24 + 214 * 2 ** 16, prefix: 28 };
  await using small = await startContainerRuntime(engine, { subnet });
  const first = await small.launch();
  await small.launch();
  await expect(small.launch()).rejects.toMatchObject({ reason: 'unschedulable', retryAfterSeconds: 10 });
  await small.runtime.destroy(first);
  await small.launch();
});

/** Waits until the agent answers. */
async function answering(sandbox: Sandbox): Promise<Sandbox> {
  await eventually(() => fetch(`${sandbox.endpoint}/`));
  return sandbox;
}
