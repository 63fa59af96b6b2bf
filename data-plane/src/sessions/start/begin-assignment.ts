import type { AgentClient } from '../../agent/agent-client.ts';
import type { Database } from '../../registry/connect.ts';
import type { SessionRow } from '../../registry/schema/sessions.ts';
import type { ReadySandbox } from '../../registry/warm-sandboxes/claim-warm-sandbox.ts';
import { withdrawWarmSandbox } from '../../registry/warm-sandboxes/withdraw-warm-sandbox.ts';
import type { Runtime } from '../../runtimes/runtime.ts';
import { answerTimeoutMs } from './assign-claimed-sandbox.ts';
import { type AssignDependencies, type AssignedSandbox, assignSession } from './assign-session.ts';

type Dependencies = AssignDependencies & {
  db: Database;
  runtime: Pick<Runtime, 'destroy'>;
  agents: Pick<AgentClient, 'disconnect'>;
  startSeconds: number;
  background(work: Promise<unknown>): void;
};

type Claim = { session: SessionRow; claimed: ReadySandbox | null };

/**
 * Tells a claimed sandbox its session while the claim is still being committed: the agent answers in about the time that a commit takes. If
 * the claim is not committed after all, the agent knows a session that does not exist, and refuses every other one for good. Such a
 * sandbox is taken out of its pool. If this replica is gone by then, the next claim of it fails as that of a dead sandbox does.
 */
export function beginAssignment(deps: Dependencies, { env }: { env: Record<string, string> }) {
  let told: ReadySandbox | null = null;
  let begun: Promise<AssignedSandbox> | undefined;
  return {
    begin({ session, claimed }: Claim): void {
      if (!claimed) return;
      told = claimed;
      const signal = AbortSignal.timeout(answerTimeoutMs(deps));
      begun = assignSession(deps, { session, env, sandbox: claimed, signal });
      begun.catch(() => {});
    },

    /** The assignment, once it has begun. */
    get begun(): Promise<AssignedSandbox> | undefined {
      return begun;
    },

    /** To be called if the claim failed, or may have. */
    abandon(): void {
      if (told) deps.background(removeUnlessClaimed(deps, told));
    },
  };
}

/** If the claim was committed and only the reply got lost, the sandbox goes with its session. */
async function removeUnlessClaimed({ db, runtime, agents }: Dependencies, { name, uid }: ReadySandbox): Promise<void> {
  if (!(await withdrawWarmSandbox(db, { name }))) return;
  agents.disconnect(uid);
  await runtime.destroy({ name, uid });
}
