import { isOutside, Problem } from '@holdfast/specs/public';
import type { AgentCall, AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';

export type OutsideDependencies = ExplainDependencies & {
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve' | 'refresh'>;
  db: Database;
};

export type OutsideChange<Answer> = {
  caller: Caller;
  sessionId: string;
  /** The operation and its arguments in the audit log. */
  audited: { operation: string } & Record<string, unknown>;
  call: AgentCall<Answer>;
  /** Whether an error says that the sandbox has changed nothing. */
  leavesAll?: (error: unknown) => boolean;
};

/**
 * Changes files of the sandbox outside the workspace. The world has no part of them, so nothing is claimed. The change is in the audit log
 * before it is answered, also if it is not known whether the sandbox has made it, but not if the sandbox has refused it.
 *
 * @throws Problem 403, 404, 409, 410, 412, 413, 502, 503, 507
 */
export async function changeOutside<Answer = void>(
  deps: OutsideDependencies,
  { caller, sessionId, audited, call, leavesAll = isRefusal }: OutsideChange<Answer>,
): Promise<Answer> {
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const record = () => recordAudit(deps.db, entryOf(caller, sessionId, audited));
  try {
    const answer = await deps.agents.call(route, call).catch(async (error) => {
      if (!leavesAll(error)) await record();
      throw error;
    });
    await record();
    return answer;
  } catch (error) {
    throw await explainFailedCall(deps, { key, error });
  }
}

export const isRefusal = (error: unknown): boolean =>
  error instanceof AgentError && (error.kind === 'refused' || error.kind === 'undelivered');

/**
 * A share link shows the session's own files, and the rest of the sandbox only if it lets a person run code there.
 * @throws Problem 403
 */
export function refuseGuest({ share }: Caller, path: string): void {
  if (!share || share.access === 'run' || !isOutside(path)) return;
  throw new Problem('forbidden', { detail: 'this share link only shows files of the workspace' });
}
