import type { AgentClient } from '../../agent/agent-client.ts';
import type { Database } from '../../registry/connect.ts';
import { markWarmSandboxReady } from '../../registry/warm-sandboxes/mark-warm-sandbox-ready.ts';
import { withdrawWarmSandbox } from '../../registry/warm-sandboxes/withdraw-warm-sandbox.ts';
import type { Runtime, Sandbox, WarmPool } from '../../runtimes/runtime.ts';
import { meetAgent } from '../../sessions/start/meet-agent.ts';

type LaunchDependencies = {
  db: Database;
  runtime: Pick<Runtime, 'launch' | 'inspect' | 'explain' | 'destroy'>;
  agents: Pick<AgentClient, 'meet' | 'prepare'>;
};

type Launch = { pool: WarmPool; name: string; signal: AbortSignal };

/**
 * Launches the sandbox of a row that this replica has added, and meets its agent, so that a claim need not wait for that.
 * @throws SandboxError, AgentError or `signal`'s reason; the sandbox is then out of its pool again
 */
export async function launchWarmSandbox(
  { db, runtime, agents }: LaunchDependencies,
  { pool, name, signal }: Launch,
): Promise<void> {
  let sandbox: Sandbox | null = null;
  try {
    sandbox = await runtime.launch({ name, profile: pool.profile, network: pool.network, warm: true }, signal);
    const met = await meetAgent({ agents, runtime }, { sandbox, signal });
    if (!(await markWarmSandboxReady(db, met)))
      throw new Error(`warm sandbox ${name} was withdrawn while it was starting`);
    // The passes of the warm pools keep the connection open, and connect the other replicas.
    agents.prepare(met).catch(() => {});
  } catch (error) {
    // If it cannot be withdrawn, another replica has retired it and removes it; or it is ready and only the reply got lost.
    const withdrawn = await withdrawWarmSandbox(db, { name });
    if (withdrawn && sandbox) await runtime.destroy(sandbox);
    throw error;
  }
}
