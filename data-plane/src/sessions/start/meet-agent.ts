import { setTimeout as delay } from 'node:timers/promises';
import type { AgentClient } from '../../agent/agent-client.ts';
import { AgentError } from '../../agent/agent-error.ts';
import type { ReadySandbox } from '../../registry/warm-sandboxes/claim-warm-sandbox.ts';
import { type Runtime, type Sandbox, SandboxError } from '../../runtimes/runtime.ts';

/** A sandbox that takes long to start is asked less and less often: each time costs a connection. */
const pollMsMin = 10;
const pollMsMax = 100;
/** An agent that does not answer may have ended: the runtime is asked this often. */
const inspectMs = 1000;

/**
 * Waits until the agent of a launched sandbox answers for the first time. Polls it directly, because a runtime's own readiness check
 * would be too coarse.
 * @throws AgentError if the peer does not prove to be this sandbox's agent; SandboxError if the sandbox has ended; `signal`'s reason
 */
export async function meetAgent(
  { agents, runtime }: { agents: Pick<AgentClient, 'meet'>; runtime: Pick<Runtime, 'inspect' | 'explain'> },
  { sandbox, signal }: { sandbox: Sandbox; signal: AbortSignal },
): Promise<ReadySandbox> {
  const { name, uid, node, endpoint } = sandbox;
  if (!endpoint) throw new Error(`sandbox ${name} has no endpoint`);
  const startedAt = performance.now();
  for (let inspectAt = startedAt + inspectMs; ; ) {
    try {
      return { name, uid, node, endpoint, agentPublicKey: await agents.meet({ endpoint, uid }) };
    } catch (error) {
      if (!(error instanceof AgentError) || error.kind === 'invalid' || signal.aborted) throw error;
      const waitedMs = performance.now() - startedAt;
      await delay(Math.min(Math.max(pollMsMin, waitedMs / 20), pollMsMax), undefined, { signal });
    }
    if (performance.now() < inspectAt) continue;
    await refuseEnded(runtime, sandbox);
    inspectAt = performance.now() + inspectMs;
  }
}

async function refuseEnded(runtime: Pick<Runtime, 'inspect' | 'explain'>, { name, uid }: Sandbox): Promise<void> {
  const found = await runtime.inspect(name);
  const now = found?.uid === uid ? found : null;
  if (now && now.phase !== 'ended') return;
  const { reason, message } = now?.cause ?? (await runtime.explain({ name, uid }));
  throw new SandboxError(reason, message);
}
