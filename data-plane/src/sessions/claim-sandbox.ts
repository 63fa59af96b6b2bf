import type { AgentClient } from '../agent/agent-client.ts';
import type { Seal } from '../keys/seal.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import type { MetSandbox } from '../registry/warm-sandboxes/claim-warm-sandbox.ts';
import { removeWarmSandbox } from '../registry/warm-sandboxes/remove-warm-sandbox.ts';
import type { Runtime, SandboxKey } from '../runtimes/runtime.ts';
import type { SessionRow } from './session-view.ts';
import { type Told, tellAgent } from './tell-agent.ts';

export type ClaimDependencies = {
  db: Database;
  runtime: Pick<Runtime, 'destroy'>;
  agents: Pick<AgentClient, 'call' | 'newToken' | 'disconnect'>;
  seal: Pick<Seal, 'close'>;
  startSeconds: number;
  background(work: Promise<unknown>): void;
  log: Logger;
};

type Claim = { session: SessionRow; env: Record<string, string>; claimed: MetSandbox; signal: AbortSignal };

/** An agent that waits answers at once. One that does not must leave the session most of its time for another. */
const patienceMs = ({ startSeconds }: ClaimDependencies) => Math.min(5000, startSeconds * 250);

/**
 * Tells a claimed sandbox its session; null where its agent does not take it. Then the sandbox is given up: it is destroyed and
 * belongs to nobody else.
 * @throws AgentError where `signal` has been given
 */
export async function tellClaimed(
  deps: ClaimDependencies,
  { session, env, claimed, signal }: Claim,
): Promise<Told | null> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(patienceMs(deps))]);
  try {
    return await tellAgent(deps, { session, env, sandbox: claimed, signal: inTime });
  } catch (err) {
    if (signal.aborted) throw err;
    deps.log.warn({ sessionId: session.id, sandbox: claimed.name, err }, 'a claimed sandbox did not answer');
    deps.background(giveUp(deps, claimed));
    return null;
  }
}

/** Destroys a claimed sandbox. Its row goes last: as long as there is one, somebody sees to it that the sandbox goes. */
export async function giveUp(
  { db, runtime, agents }: Pick<ClaimDependencies, 'db' | 'runtime'> & { agents: Pick<AgentClient, 'disconnect'> },
  { name, uid }: SandboxKey,
): Promise<void> {
  await runtime.destroy({ name, uid });
  agents.disconnect(uid);
  await removeWarmSandbox(db, { name });
}
