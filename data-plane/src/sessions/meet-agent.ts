import { setTimeout as delay } from 'node:timers/promises';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { MetSandbox } from '../registry/claim-warm-sandbox.ts';
import type { Sandbox } from '../runtimes/runtime.ts';

const pollMs = 10;

/**
 * First sight of a launched sandbox. Polls from the moment there is an address: a runtime's own readiness check would be too coarse.
 * @throws AgentError where the peer says what no agent of this sandbox says; `signal`'s reason
 */
export async function meetAgent(
  { agents }: { agents: Pick<AgentClient, 'meet'> },
  { sandbox, signal }: { sandbox: Sandbox; signal: AbortSignal },
): Promise<MetSandbox> {
  const { name, uid, node, endpoint } = sandbox;
  if (!endpoint) throw new Error(`sandbox ${name} has no endpoint`);
  for (;;) {
    try {
      return { name, uid, node, endpoint, agentPublicKey: await agents.meet({ endpoint, uid }) };
    } catch (error) {
      if (!(error instanceof AgentError) || error.kind === 'invalid' || signal.aborted) throw error;
      await delay(pollMs, undefined, { signal });
    }
  }
}
