import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { PeerReplaced } from '../../src/agent/prove-peer.ts';
import { startSilentPeer } from '../agent/silent-peer.ts';
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

test.each([
  ['has got another sandbox', 'epoch = epoch + 1'],
  ['has ended', "status = 'completed', ended_at = now()"],
])('a step is not sent to a silent address once its session %s', async (_how, change) => {
  const replica = await given.replica([]);
  const { id } = await replica.createSession();
  const known = await replica.routes.resolve({ sessionId: id, tenant: replica.caller.tenant });
  const route = { ...known, sandboxUid: newId('uid'), endpoint: await startSilentPeer() };
  await given.db.sql`update sessions set ${given.db.sql.unsafe(change)} where id = ${id}`;
  const sent = replica.agents.stream(route, { path: '/v1/steps', body: {}, onFrames: () => undefined });
  await expect(sent).rejects.toMatchObject({ kind: 'undelivered', cause: expect.any(PeerReplaced) });
});
