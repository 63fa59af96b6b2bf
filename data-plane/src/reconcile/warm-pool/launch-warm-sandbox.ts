import type { AgentClient } from '../../agent/agent-client.ts';
import type { Database } from '../../registry/connect.ts';
import { markWarmSandboxReady } from '../../registry/warm-sandboxes/mark-warm-sandbox-ready.ts';
import { withdrawWarmSandbox } from '../../registry/warm-sandboxes/withdraw-warm-sandbox.ts';
import type { Runtime, Sandbox, WarmPool } from '../../runtimes/runtime.ts';
import { meetAgent } from '../../sessions/start/meet-agent.ts';

type LaunchDependencies = {
  db: Database;
  runtime: Pick<Runtime, 'launch' | 'inspect' | 'explain' | 'destroy'>;
  agents: Pick<AgentClient, 'meet'>;
};

type Launch = { pool: WarmPool; name: string; signal: AbortSignal };

/**
 * Launches the sandbox of a row that this replica has added, and meets its agent, so that a claim needs no first sight.
 * @throws SandboxError, AgentError or `signal`'s reason; then it is out of its pool again.
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
      throw new Error(`warm sandbox ${name} was given up while it was starting`);
  } catch (error) {
    // Where it cannot be withdrawn it is somebody else's to remove, or, where only the reply got lost, to use.
    const withdrawn = await withdrawWarmSandbox(db, { name });
    if (withdrawn && sandbox) await runtime.destroy(sandbox);
    throw error;
  }
}
