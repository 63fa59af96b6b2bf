import { afterAll, beforeAll, expect, test } from 'vitest';
import { podLabels } from '../../src/runtimes/kubernetes/pod/pod-labels.ts';
import { sandboxName } from '../../src/sessions/sandbox-name.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { startOnKubernetes } from '../support/start-on-kubernetes.ts';

let fake: FakeKubernetes;
beforeAll(async () => {
  fake = await startFakeKubernetes();
});
afterAll(() => fake.close());

const longAgo = '2026-01-01T00:00:00Z';

test('two data-planes of one name on two databases leave the sandboxes of each other alone', async () => {
  await using one = await startOnKubernetes(fake);
  const sessions = await Promise.all([one.createSession(), one.createSession(), one.createSession()]);
  for (const { id } of sessions) {
    await one.runStep(id, { code: 'x = 1' });
    // As if they had existed for long, so that their age does not protect them.
    fake.pods.update(sandboxName(id, 1), (pod) => {
      pod.metadata.creationTimestamp = longAgo;
    });
  }

  await using other = await startOnKubernetes(fake);
  const [identity] = await other.database.db.sql<{ id: string }[]>`select id from database_identity`;
  insertOrphan(identity?.id ?? '');
  // The other data-plane has compared its registry with the cluster when its own orphan is gone.
  await eventually(() => expect(fake.pods.find('zz-orphan')?.metadata.deletionTimestamp).toBeDefined(), 60_000);
  for (const { id } of sessions) expect(await one.runStep(id, { code: 'x' })).toMatchObject({ status: 'succeeded' });
  expect(sessions.map(({ id }) => fake.pods.find(sandboxName(id, 1))?.metadata.deletionTimestamp)).toEqual(
    Array(3).fill(undefined),
  );
}, 120_000);

/** A sandbox that the data-plane on this database has made and does not know any more. Its name comes last in a list. */
function insertOrphan(database: string): void {
  const labels = podLabels({ deployment: 'holdfast', database, network: 'none', profile: 'python' });
  fake.pods.insert({
    metadata: {
      ...{ name: 'zz-orphan', labels, namespace: fake.namespace, uid: 'uid-orphan' },
      ...{ resourceVersion: '', creationTimestamp: longAgo },
    },
    spec: { containers: [{ name: 'agent', image: 'i' }], terminationGracePeriodSeconds: 1 },
    status: { phase: 'Pending' },
  });
}
