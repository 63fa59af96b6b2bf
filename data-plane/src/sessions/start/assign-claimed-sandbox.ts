import type { AgentClient } from '../../agent/agent-client.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { isLaunchedByAnother } from '../../registry/sandboxes/launched-by-another.ts';
import type { SessionRow } from '../../registry/schema/sessions.ts';
import type { ReadySandbox } from '../../registry/warm-sandboxes/claim-warm-sandbox.ts';
import { removeWarmSandbox } from '../../registry/warm-sandboxes/remove-warm-sandbox.ts';
import type { Runtime, SandboxKey } from '../../runtimes/runtime.ts';
import { type AssignDependencies, type AssignedSandbox, assignSession } from './assign-session.ts';

export type ClaimDependencies = AssignDependencies &
  DestroyDependencies & {
    startSeconds: number;
    background(work: Promise<unknown>): void;
    replicaId: string;
    log: Logger;
  };

type Claim = {
  session: SessionRow;
  env: Record<string, string>;
  claimed: ReadySandbox;
  /** The assignment, if it has begun. */
  assigning?: Promise<AssignedSandbox> | undefined;
  signal: AbortSignal;
};

/**
 * Assigns a session to the warm sandbox that it has claimed. If the agent does not answer, the sandbox is destroyed.
 * @returns null if the agent did not answer
 * @throws AgentError if `signal` is aborted, or another replica goes on with the start
 */
export async function assignClaimedSandbox(
  deps: ClaimDependencies,
  { session, env, claimed, assigning, signal }: Claim,
): Promise<AssignedSandbox | null> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs(deps))]);
  try {
    const assigned = assigning ?? assignSession(deps, { session, env, sandbox: claimed, signal: inTime });
    return await orAborted(assigned, inTime);
  } catch (err) {
    if (signal.aborted) throw err;
    const { id: sessionId, epoch } = session;
    // If this replica slept, another one may use the sandbox by now.
    if (await isLaunchedByAnother(deps.db, { sessionId, epoch, replicaId: deps.replicaId })) throw err;
    deps.log.warn({ sessionId: session.id, sandbox: claimed.name, err }, 'a claimed sandbox did not answer');
    deps.background(destroyClaimedSandbox(deps, claimed));
    return null;
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** A waiting agent answers at once. If one does not, the session must have most of its time left for another sandbox. */
export const answerTimeoutMs = ({ startSeconds }: Pick<ClaimDependencies, 'startSeconds'>) =>
  Math.min(5000, startSeconds * 250);

type DestroyDependencies = { db: Database; runtime: Pick<Runtime, 'destroy'>; agents: Pick<AgentClient, 'disconnect'> };

/** Destroys a claimed sandbox. Its row goes last: as long as there is one, the destruction is retried. */
export async function destroyClaimedSandbox(
  { db, runtime, agents }: DestroyDependencies,
  { name, uid }: SandboxKey,
): Promise<void> {
  await runtime.destroy({ name, uid });
  agents.disconnect(uid);
  await removeWarmSandbox(db, { name });
}
