import { beforeAll, expect, test } from 'vitest';
import { sandboxName } from '../../data-plane/src/sessions/sandbox-name.ts';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import { slowToLoad } from '../../data-plane/test/support/state/state-programs.ts';
import type { Session } from '../../specs/src/public/index.ts';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { kubectl } from '../cluster/kubectl.ts';
import { holdfastNamespace, sandboxNamespace } from '../cluster/namespaces.ts';
import { type NodeShell, startNodeShell } from '../cluster/node-shell.ts';
import { pod, replicaPods, restartsOf } from '../cluster/pods.ts';
import { registryRows } from '../cluster/registry-rows.ts';
import { notSaved, resultOfUse, richState, useOfState } from '../rich-state.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

let node: NodeShell;
beforeAll(async () => {
  node = await startNodeShell();
  return node.remove;
});

const statusOf = async (id: string) =>
  (await registryRows(`select status, epoch from sessions where id = '${id}'`)).join();

test('a recovery in whose middle all replicas are killed begins again and gives the session its state', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  for (const code of [slowToLoad(8), ...richState])
    expect(await holdfast.runStep(id, { code })).toMatchObject({ error: null });
  await eventually(async () => {
    const { items } = (await holdfast.request('GET', `/v1/sessions/${id}/snapshots`)).body;
    expect(items[0]?.notSaved.map(({ name }: { name: string }) => name)).toContain('lazy');
  }, 30_000);
  const replicas = await replicaPods();
  const first = sandboxName(id, 1);
  await kubectl(['-n', sandboxNamespace, 'delete', 'pod', first, '--grace-period=0', '--force', '--wait=false']);
  // The agent of the next sandbox runs, so what is left is to load the state, which takes eight seconds.
  await eventually(async () => {
    const { status } = await pod(sandboxNamespace, sandboxName(id, 2));
    expect(status.containerStatuses?.[0]?.ready).toBe(true);
  }, 30_000);
  await Promise.all(replicas.map((replica) => node.killIn(replica, 'main.mjs')));
  expect(await statusOf(id)).toBe('recovering|2');
  await eventually(async () => {
    for (const replica of replicas) {
      expect(restartsOf(await pod(holdfastNamespace, replica.metadata.name))).toBeGreaterThan(restartsOf(replica));
    }
  }, 60_000);
  const session: Session = await eventually(async () => {
    const { body } = await holdfast.request('GET', `/v1/sessions/${id}`);
    expect(body).toMatchObject({ status: 'active', epoch: 3 });
    return body;
  }, 90_000);
  expect(session.lastRecovery?.contexts[0]?.lost.map(({ name }) => name).sort()).toEqual(notSaved);
  const step = await eventually(() => holdfast.runStep(id, { code: useOfState }), 20_000);
  expect(step).toMatchObject({ error: null, results: [{ data: { 'text/plain': resultOfUse } }] });
});
