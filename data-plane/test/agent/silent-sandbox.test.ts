import { newId } from '@holdfast/specs/public';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentTarget, createAgentClient } from '../../src/agent/agent-client.ts';
import { createByteBudget } from '../../src/agent/byte-budget.ts';
import { PeerReplaced, PeerTimeout } from '../../src/agent/prove-peer.ts';
import { createAgentTokens } from '../../src/keys/agent-tokens.ts';
import { startSilentPeer } from './silent-peer.ts';

/** A client, and a sandbox that does not answer it. */
async function clientOf(session: { isReplaced: boolean }) {
  const agents = createAgentClient({
    tokens: createAgentTokens<AgentTarget>({ issuer: 'test', keys: null, accepts: async () => true, storeToken() {} }),
    budget: createByteBudget({ replicaBytesMax: 2 ** 27 }),
    onConnections: () => {},
    isReplaced: async ({ sessionId, epoch }) =>
      session.isReplaced && sessionId === target.sessionId && epoch === target.epoch,
  });
  onTestFinished(() => agents.close());
  const target: AgentTarget = {
    endpoint: await startSilentPeer(),
    sandboxUid: newId('uid'),
    agentPublicKey: 'key',
    sessionId: newId('ses'),
    epoch: 1,
    token: { token: '', expiresAt: new Date(Date.now() + 60_000) },
  };
  return { agents, target };
}

test('a step is not sent to the silent address of a sandbox that its session no longer has', async () => {
  const { agents, target } = await clientOf({ isReplaced: true });
  const sent = agents.stream(target, { path: '/v1/steps', body: {}, onFrames: () => undefined });
  await expect(sent).rejects.toMatchObject({ kind: 'undelivered', cause: expect.any(PeerReplaced) });
});

test('a fence has its whole time to reach a sandbox that its session no longer has', async () => {
  const { agents, target } = await clientOf({ isReplaced: true });
  const fence = agents.call(target, { method: 'POST', path: '/v1/fence', timeoutMs: 900 });
  await expect(fence).rejects.toThrow('took longer than 900 ms');
});

test('an agent that does not prove itself in time counts as slow, and not as broken', async () => {
  const { agents, target } = await clientOf({ isReplaced: false });
  const sent = agents.stream(target, { path: '/v1/steps', body: {}, onFrames: () => undefined });
  await expect(sent).rejects.toMatchObject({ kind: 'undelivered', cause: expect.any(PeerTimeout) });
});
