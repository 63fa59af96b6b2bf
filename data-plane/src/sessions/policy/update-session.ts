import { isDeepStrictEqual } from 'node:util';
import { lifeSecondsMax, metadataEntriesMax, Problem, type Session, type UpdateSession } from '@holdfast/specs/public';
import { AgentError } from '../../agent/agent-error.ts';
import type { Seal } from '../../keys/seal.ts';
import { askedBy } from '../../policy/audit/asked-by.ts';
import { changeBudget } from '../../policy/budgets/change-budget.ts';
import { isTighter } from '../../policy/rules/is-tighter.ts';
import { looser } from '../../policy/rules/policy-denied.ts';
import { resolvePolicy } from '../../policy/rules/resolve-policy.ts';
import type { Change } from '../../registry/audit/changed-by.ts';
import { lockBudget } from '../../registry/budgets/find-budgets.ts';
import type { Database } from '../../registry/connect.ts';
import type { SessionRow } from '../../registry/schema/sessions.ts';
import { findSession } from '../../registry/sessions/find-session.ts';
import { patchSession } from '../../registry/sessions/patch-session.ts';
import type { Runtime } from '../../runtimes/runtime.ts';
import { agentProblem } from '../agent-problem.ts';
import type { Caller } from '../caller.ts';
import { existingSession, refuseUnlessActive } from '../existing-session.ts';
import type { Routes } from '../sandbox-routes.ts';
import { sessionView } from '../session-view.ts';
import { hasSandbox } from '../status.ts';
import { storedWebhooks } from '../webhooks/stored-webhooks.ts';
import { type TellDependencies, tellPolicy } from './tell-policy.ts';

export type UpdateDependencies = TellDependencies & {
  db: Database;
  seal: Pick<Seal, 'close'>;
  routes: Pick<Routes, 'find' | 'drop'>;
  runtime: Pick<Runtime, 'name' | 'capabilities'>;
  hint(sessionId: string): void;
  /** Gives an active session another sandbox, with its files and its state. */
  moveSession(input: { id: string; force: boolean }): Promise<Session>;
};

type UpdateInput = { caller: Caller; id: string; patch: UpdateSession };

/**
 * Changes metadata, timeouts, webhooks, the policy and the budget of a session that has not ended. When this resolves, no step starts by an earlier policy.
 * @throws Problem 400 if it would have too much metadata or live too long, 403 if the policy would allow more and the caller is not the host, 404, 410, 422. With 409 while a step runs or the session is being paused, 502 or 503
 * the policy is changed, and a repeat tells whether it holds everywhere
 */
export async function updateSession(deps: UpdateDependencies, { caller, id, patch }: UpdateInput): Promise<Session> {
  const { policy: wish, budget, webhooks, ...rest } = patch;
  const { db } = deps;
  const fields = { ...rest, ...(webhooks && { webhooks: await storedWebhooks(deps.seal, webhooks) }) };
  const asked = { ...patch, ...(webhooks && { webhooks: webhooks.length }) };
  const { tenant } = caller;
  for (;;) {
    const session = wish && (await existingSession(db, { id, tenant }));
    const policy = session && policyChange(deps, { caller, session, wish });
    const patched = { id, tenant, patch: fields, policy, change: askedBy(caller, 'session.update', asked) };
    const done = await (budget === undefined ? patchAlone(db, patched) : patchWithBudget(db, caller, patched, budget));
    if (done === 'has-other-budget') continue;
    const isForAgent = wish || webhooks || done?.isForAgent;
    if (done) return isForAgent ? await holdTo(deps, done.row) : await sessionView(db, done.row);
    const now = await existingSession(db, { id, tenant });
    if (policy && now.policyRevision !== policy.ifRevision) continue;
    refuseUnlessActive(now);
    refuseBeyondBounds(now, patch);
    throw new Problem('session-not-active', { detail: `session ${id} changed its status just now` });
  }
}

function refuseBeyondBounds(session: SessionRow, { metadata = {}, expiresInSeconds = 0 }: UpdateSession): void {
  const refuse = (pointer: string, detail: string) => {
    throw new Problem('invalid-request', { detail: '1 fault', errors: [{ pointer, detail }] });
  };
  const values = Object.values({ ...session.metadata, ...metadata });
  if (values.filter((value) => value !== null).length > metadataEntriesMax)
    refuse('/metadata', `must leave the session with at most ${metadataEntriesMax} entries`);
  const lifeSeconds = (Date.now() - session.createdAt.getTime()) / 1000 + expiresInSeconds;
  if (expiresInSeconds > 0 && lifeSeconds > lifeSecondsMax - clocksDifferSeconds)
    refuse('/expiresInSeconds', `must end within ${lifeSecondsMax} seconds of the creation of the session`);
}

/** By how much this clock may differ from the database's, which has decided. */
const clocksDifferSeconds = 60;

/** `isForAgent`: the session itself has changed, and not only the limits of its budget. */
type Patched = { row: SessionRow; isForAgent: boolean };

async function patchAlone(db: Database, patched: Parameters<typeof patchSession>[1]): Promise<Patched | null> {
  const row = await patchSession(db, patched);
  return row && { row, isForAgent: false };
}

/**
 * The budget is locked before the session, as everywhere. If another request has given the session a budget meanwhile, or taken this one from it,
 * nothing is changed.
 */
async function patchWithBudget(
  db: Database,
  caller: Caller,
  { change, ...patched }: Parameters<typeof patchSession>[1] & { change: Change },
  wish: NonNullable<UpdateSession['budget']> | null,
): Promise<Patched | 'has-other-budget' | null> {
  const { id: sessionId, tenant } = patched;
  return await db.transaction(async (tx) => {
    const budget = await lockBudget(tx, { sessionId, tenant });
    const isWritten = wish !== null || budget !== null;
    const ifBudgetOf = budget?.id ?? null;
    if (!(await patchSession(tx, { ...patched, ifBudgetOf, ...(!isWritten && { change }) }))) {
      const now = await findSession(tx, { id: sessionId, tenant });
      // A session that has ended keeps its budget, which is locked no more.
      return now && !now.endedAt && now.budgetOf !== ifBudgetOf ? 'has-other-budget' : null;
    }
    const isForAgent = !isWritten || (await changeBudget(tx, { caller, sessionId, budget, wish, change }));
    const row = await findSession(tx, { id: sessionId });
    return row && { row, isForAgent };
  });
}

type Wish = { caller: Caller; session: SessionRow; wish: NonNullable<UpdateSession['policy']> };

/** Undefined if the session has this policy already. */
function policyChange({ runtime }: UpdateDependencies, { caller, session, wish }: Wish) {
  const rules = resolvePolicy(wish, session.policy);
  if (!caller.scopes.has('host') && !isTighter(session.policy, rules)) throw looser('the present one');
  if (rules && mustMove({ ...session, policy: rules }) && !runtime.capabilities.networks.includes('none')) {
    const detail = `the ${runtime.name} runtime cannot take the network from a session`;
    const pointer = '/policy/execution/allowNetworkCalls';
    throw new Problem('unsupported-by-runtime', { detail, errors: [{ pointer, detail }] });
  }
  return isDeepStrictEqual(rules, session.policy) ? undefined : { rules, ifRevision: session.policyRevision };
}

const mustMove = ({ policy, network }: Pick<SessionRow, 'policy' | 'network'>) =>
  policy?.execution.allowNetworkCalls === false && network !== 'none';

/** In any other status a session has no sandbox that could run by an earlier policy: its next one begins with this policy. */
const hasAgent: ReadonlySet<string> = new Set(['active', 'pausing', 'budget_exceeded']);

async function holdTo(deps: UpdateDependencies, session: SessionRow): Promise<Session> {
  const { id, epoch, status } = session;
  deps.routes.drop(id);
  const route = hasAgent.has(status) ? await deps.routes.find(id) : null;
  if (route?.epoch === epoch) {
    await tellPolicy(deps, route).catch((error) => {
      throw isUnknown(error) ? tooOld(id, error) : agentProblem(deps, { sessionId: id, error });
    });
  }
  // If the pause is cancelled, the session has this sandbox again, and another PATCH moves it.
  if (status === 'pausing' && mustMove(session)) throw isBeingPaused(id);
  return hasSandbox(status) && mustMove(session)
    ? await deps.moveSession({ id, force: false })
    : await sessionView(deps.db, session);
}

const isBeingPaused = (id: string) =>
  new Problem('session-not-active', {
    detail: `the policy is changed, but session ${id} is being paused in a sandbox that has the network; repeat the request when that has ended`,
    retryAfterSeconds: 1,
  });

/** Agents of earlier versions know no policy. */
const isUnknown = (error: unknown) => error instanceof AgentError && error.slug === 'not-found';

const tooOld = (id: string, cause: unknown) =>
  new Problem('unsupported-by-runtime', {
    detail: `the sandbox of session ${id} is of an earlier version; the policy holds once the session is paused and resumed`,
    cause,
  });
