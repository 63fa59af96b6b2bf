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

test('an agent that exits by itself is explained by its exit code, also after somebody has pruned it', async () => {
  const sandbox = await answering(await started.launch());
  await fetch(`${sandbox.endpoint}/exit`).catch(() => {});
  await toldOf(sandbox);
  const cause = { reason: 'sandbox_exited', message: "the agent's container ended: exit code 4" };
  expect(await started.runtime.inspect(sandbox.name)).toMatchObject({ phase: 'ended', cause });
  engine.podman('rm', started.containerOf(sandbox));
  expect(await started.runtime.inspect(sandbox.name)).toBeNull();
  expect(await started.runtime.explain(sandbox)).toEqual(cause);
});

test('an agent that was killed for its memory is explained as far as the engine has noticed', async () => {
  const sandbox = await answering(await started.launch());
  await fetch(`${sandbox.endpoint}/take`).catch(() => {});
  await toldOf(sandbox);
  // Podman with conmon of old does not see it in cgroups of version 1.
  const noticed = engine.podman('inspect', '--format', '{{.State.OOMKilled}}', started.containerOf(sandbox)) === 'true';
  expect(await started.runtime.explain(sandbox)).toMatchObject({
    reason: noticed ? 'oom_killed' : 'sandbox_exited',
    message: expect.stringContaining('exit code 137 (signal 9)'),
  });
});

test.each([
  ['removed by force', ['rm', '--force', '--time', '0']],
  ['killed', ['kill']],
])('a container that somebody has %s was ended by an operator', async (_, command) => {
  const sandbox = await answering(await started.launch());
  engine.podman(...command, started.containerOf(sandbox));
  await toldOf(sandbox);
  expect(await started.runtime.explain(sandbox)).toMatchObject({ reason: 'deleted_by_operator' });
  await started.runtime.destroy(sandbox);
});

test('nobody is told of an end that we have wanted', async () => {
  const [wanted, other] = [await started.launch(), await started.launch()];
  await started.runtime.destroy(wanted);
  engine.podman('kill', started.containerOf(other));
  await toldOf(other);
  expect(ended.map(({ uid }) => uid)).not.toContain(wanted.uid);
});

test('a restart of the engine exits no sandbox, and exits that come while it is away are told afterwards', async () => {
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

test('a container of somebody else under our name is neither found, nor launched over, nor removed', async () => {
  const name = newSandboxName();
  const container = started.containerOf({ name });
  engine.podman('create', '--name', container, '--network', 'none', '--entrypoint', '/opt/holdfast/run', agentImage);
  expect(await started.runtime.inspect(name)).toBeNull();
  await expect(started.launch(name)).rejects.toMatchObject({ reason: 'sandbox_start_failed' });
  await started.runtime.destroy({ name, uid: 'uid_1' });
  expect(engine.podman('inspect', '--format', '{{.State.Status}}', container)).toBe('created');
  engine.podman('rm', container);
});

test('another deployment on the same engine sees nothing of ours', async () => {
  const sandbox = await started.launch();
  await using other = await startContainerRuntime(engine);
  expect(await other.runtime.list()).toEqual([]);
  expect(await other.runtime.inspect(sandbox.name)).toBeNull();
});

test('what a data-plane leaves behind is found by the next one, with the same uid', async () => {
  const sandbox = await started.launch();
  await using next = await startContainerRuntime(engine, { deployment: started.deployment });
  expect((await next.runtime.list()).map(({ uid }) => uid)).toContain(sandbox.uid);
  await next.runtime.destroy(sandbox);
  expect(started.remains(sandbox.uid)).toEqual([]);
});

test('an image that is not there fails the launch by its name and leaves nothing', async () => {
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

test('no room for another network is said, and passes', async () => {
  const subnet = { first: 10 * 2 ** 24 + 214 * 2 ** 16, prefix: 28 };
  await using small = await startContainerRuntime(engine, { subnet });
  const first = await small.launch();
  await small.launch();
  await expect(small.launch()).rejects.toMatchObject({ reason: 'unschedulable', retryAfterSeconds: 10 });
  await small.runtime.destroy(first);
  await small.launch();
});

/** Once its agent answers. */
async function answering(sandbox: Sandbox): Promise<Sandbox> {
  await eventually(() => fetch(`${sandbox.endpoint}/`));
  return sandbox;
}
