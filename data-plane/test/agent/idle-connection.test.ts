import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '@holdfast/specs/public';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentTarget, createAgentClient } from '../../src/agent/agent-client.ts';
import { createByteBudget } from '../../src/agent/byte-budget.ts';
import { createAgentTokens } from '../../src/keys/agent-tokens.ts';
import { startScriptedAgent } from '../support/scripted-agent.ts';

/** A client with one agent, at which a step runs until `endStep`. */
async function startAgentAndClient() {
  const uid = newId('uid');
  const running = Promise.withResolvers<void>();
  let endStep = () => {};
  const agent = await startScriptedAgent(uid, (request, response) => {
    if (request.url !== '/v1/endless') return false;
    response.writeHead(200).flushHeaders();
    endStep = () => void response.end();
    running.resolve();
    return true;
  });
  let connections = 0;
  const agents = createAgentClient({
    tokens: createAgentTokens<AgentTarget>({ issuer: 'test', keys: null, accepts: async () => true, storeToken() {} }),
    budget: createByteBudget({ replicaBytesMax: 2 ** 27 }),
    onConnections: (change) => {
      connections += change;
    },
    isReplaced: async () => false,
  });
  onTestFinished(async () => {
    await agents.close();
    await agent.crash();
  });
  const subject = { sessionId: newId('ses'), sandboxUid: uid, epoch: 1 };
  const { endpoint, publicKey: agentPublicKey } = agent;
  const target: AgentTarget = { ...subject, endpoint, agentPublicKey, token: await agents.newToken(subject) };
  return {
    agents,
    target,
    connections: () => connections,
    async startStep() {
      const stepEnded = agents.stream(target, { path: '/v1/endless', body: {}, onFrames: () => undefined });
      await running.promise;
      return {
        end: async () => {
          endStep();
          await stepEnded;
        },
      };
    },
  };
}

const renewal = { method: 'GET', path: '/v1/steps', withSteps: 'if-idle' } as const;

test('a call that may use an idle connection of steps opens none of its own', async () => {
  const { agents, target, connections } = await startAgentAndClient();
  await agents.call(target, { method: 'PUT', path: '/v1/session', body: {}, withSteps: true });
  // The connection is idle from the next turn on.
  await nextTurn();
  await agents.call(target, renewal);
  expect(connections()).toBe(1);
});

test('a call that may use an idle connection of steps does not wait for a running step', async () => {
  const { agents, target, connections, startStep } = await startAgentAndClient();
  const step = await startStep();
  await agents.call(target, renewal);
  expect(connections()).toBe(2);
  await step.end();
});
