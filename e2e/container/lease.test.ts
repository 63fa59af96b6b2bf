import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownLabels } from '../../data-plane/src/runtimes/container/engine/labels.ts';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
beforeAll(async () => {
  on = await startOnEngine({ HOLDFAST_AGENT_LEASE_SECONDS: '4' });
});
afterAll(() => on[Symbol.asyncDispose]());

test('a sandbox outlives its data-plane no longer than its lease, and the next data-plane removes the containers of its database', async () => {
  const { deployment, database, sandbox, uid } = ownLabels;
  const { id } = await on.holdfast.createSession();
  const [container = ''] = on.engine.podman('ps', '--quiet').split('\n');
  const identity = on.engine.podman('inspect', '--format', `{{index .Config.Labels "${database}"}}`, container).trim();
  const orphan = [`${deployment}=holdfast`, `${sandbox}=ses-1-1`, `${uid}=uid_1`];
  runSleep('holdfast.ses-1-1', [...orphan, `${database}=${identity}`]);
  const ofAnother = runSleep('holdfast.ses-3-1', [...orphan, `${database}=of-another-data-plane`]);
  const strangers = [runSleep('holdfast.ses-2-1', [`${deployment}=another`]), ofAnother];
  await on.holdfast.kill();
  const ended = () => on.engine.podman('ps', '--all', '--filter', 'status=exited', '--quiet');
  await eventually(() => expect(ended()).not.toBe(''), 20_000);
  await on.restart('kill');
  await eventually(async () => {
    const { body } = await on.holdfast.request('GET', `/v1/sessions/${id}`);
    expect(body).toMatchObject({ status: 'failed', endReason: 'sandbox_exited' });
  }, 20_000);
  await eventually(() => expect(on.remains()).toEqual([ofAnother.slice(0, 12)]), 40_000);
  expect(on.engine.podman('ps', '--quiet', '--no-trunc').trim().split('\n').sort()).toEqual(strangers.sort());
});

/** Starts a container that no session knows, and returns its id. */
function runSleep(name: string, labels: readonly string[]): string {
  const labelled = labels.map((label) => `--label=${label}`);
  const options = [`--name=${name}`, '--network=none', '--stop-timeout=0', '--entrypoint=sleep', ...labelled];
  return on.engine.podman('run', '--detach', ...options, 'localhost/holdfast/runtime-node:dev', '600');
}
