import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

test('each replica forgets the way to a lost sandbox, though only one of them replaces it', async () => {
  const first = await given.replica([]);
  const replicas = [first, await given.replica([])];
  const { id } = await first.createSession({ recovery: 'auto' });
  const key = { sessionId: id, tenant: first.caller.tenant };
  for (const { routes } of replicas) expect(await routes.resolve(key)).toMatchObject({ epoch: 1 });
  await given.cluster.crash((await first.routes.resolve(key)).sandboxName, { hinted: true });
  for (const { routes } of replicas) {
    await eventually(() => expect(routes.cached(id)?.epoch).not.toBe(1));
    await eventually(async () => expect(await routes.resolve(key)).toMatchObject({ epoch: 2 }));
  }
});
