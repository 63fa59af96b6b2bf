import { Problem } from '@holdfast/specs/public';
import { fillingRules } from '../policy/files/read-expected.ts';
import { worldRules } from '../policy/files/world-rules.ts';
import { policyDenied } from '../policy/rules/policy-denied.ts';
import { rulesOf } from '../policy/rules/resolve-policy.ts';
import type { Database } from '../registry/connect.ts';
import { findOpenChange } from '../registry/proposals/find-open-change.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import { changedJustNow } from '../sessions/existing-session.ts';
import type { Route } from '../sessions/sandbox-routes.ts';

/**
 * The rules of a policy are for code, and its host may change any file. But a host cannot change what an open proposal changes, since the
 * proposal would no longer begin with what is there.
 * @throws Problem 409 `proposal-conflict`
 */
export async function refuseProposed(db: Database, claim: WorldClaim, paths: readonly string[]): Promise<void> {
  if (!claim.rules?.isProposing) return;
  const { sessionId } = claim;
  const found = await findOpenChange(db, { sessionId, paths });
  if (!found) return;
  const { proposalId, path } = found;
  const detail = `proposal ${proposalId} changes ${JSON.stringify(path.slice(0, 200))} and is open; commit or reject it first`;
  throw new Problem('proposal-conflict', { detail });
}

/**
 * A file that is hidden from code must not enter the sandbox in this way either.
 * @throws Problem 403 `policy-denied`
 */
export function refuseHidden({ rules }: WorldClaim, paths: readonly string[]): void {
  const { hides } = worldRules(rules);
  if (paths.some(hides)) throw policyDenied('world.readPatterns');
}

/**
 * A directory that is hidden from code must not either. One that may hold visible files is not hidden.
 * @throws Problem 403 `policy-denied`
 */
export function refuseHiddenDirectory({ rules }: WorldClaim, path: string): void {
  if (worldRules(rules).hidesDirectory(path)) throw policyDenied('world.readPatterns');
}

/** Whether the policy of a session hides a part of its world from code. Pure. */
export const hidesSome = ({ policy }: Pick<Route, 'policy'>): boolean =>
  worldRules(fillingRules(rulesOf(policy).world.readPatterns)).hidesSome;

/**
 * A file whose write has begun may follow links, which may lead to a place that is hidden by now.
 * @throws Problem 503 `session-starting`
 */
export function refuseIfHiding({ sessionId, rules }: WorldClaim): void {
  if (worldRules(rules).hidesSome) throw changedJustNow(sessionId);
}

/**
 * The files of an archive are known only when they are in the sandbox.
 * @throws Problem 403 `policy-denied` if any path is hidden
 */
export function refuseUnlessAllVisible({ rules }: WorldClaim): void {
  if (worldRules(rules).hidesSome) throw policyDenied('world.readPatterns');
}
