import { setTimeout as delay } from 'node:timers/promises';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { ReadySandbox } from '../registry/warm-sandboxes/claim-warm-sandbox.ts';
import { type Runtime, type Sandbox, SandboxError } from '../runtimes/runtime.ts';

const pollMs = 10;
/** An agent that does not answer may have ended: how often the runtime is asked. */
const lookMs = 1000;

/**
 * First sight of a launched sandbox. Polls from the moment there is an address: a runtime's own readiness check would be too coarse.
 * @throws AgentError where the peer says what no agent of this sandbox says; SandboxError where the sandbox has ended; `signal`'s reason
 */
export async function meetAgent(
  { agents, runtime }: { agents: Pick<AgentClient, 'meet'>; runtime: Pick<Runtime, 'inspect' | 'explain'> },
  { sandbox, signal }: { sandbox: Sandbox; signal: AbortSignal },
): Promise<ReadySandbox> {
  const { name, uid, node, endpoint } = sandbox;
  if (!endpoint) throw new Error(`sandbox ${name} has no endpoint`);
  for (let lookAt = performance.now() + lookMs; ; ) {
    try {
      return { name, uid, node, endpoint, agentPublicKey: await agents.meet({ endpoint, uid }) };
    } catch (error) {
      if (!(error instanceof AgentError) || error.kind === 'invalid' || signal.aborted) throw error;
      await delay(pollMs, undefined, { signal });
    }
    if (performance.now() < lookAt) continue;
    await refuseEnded(runtime, sandbox);
    lookAt = performance.now() + lookMs;
  }
}

async function refuseEnded(runtime: Pick<Runtime, 'inspect' | 'explain'>, { name, uid }: Sandbox): Promise<void> {
  const found = await runtime.inspect(name);
  const now = found?.uid === uid ? found : null;
  if (now && now.phase !== 'ended') return;
  const { reason, message } = now?.cause ?? (await runtime.explain({ name, uid }));
  throw new SandboxError(reason, message);
}
