import { setTimeout as delay } from 'node:timers/promises';
import { operationNameSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { listAudit } from '../../../registry/audit/list-audit.ts';
import { findBudgets } from '../../../registry/budgets/find-budgets.ts';
import type { Database } from '../../../registry/connect.ts';
import { countOperations } from '../../../registry/operations/count-operations.ts';
import { listProposals } from '../../../registry/proposals/find-proposals.ts';
import { findSession } from '../../../registry/sessions/find-session.ts';
import { findStep } from '../../../registry/steps/find-step.ts';
import { commitAllProposals } from '../../../world/proposals/commit-proposal.ts';
import { proposalView } from '../../../world/proposals/proposal-view.ts';
import { rollBackProposals } from '../../../world/proposals/reject-changes.ts';
import { decide } from '../../rules/decide.ts';
import { callEntry } from './call-entry.ts';
import { type OperationCaller, type OwnOperation, ownOperation } from './own-operation.ts';

const nothing = z.tuple([]);
const budgetKind = z.enum(['iterations', 'timeSeconds', 'tokens', 'cost']);
const cursor = z.string().max(512);
const listLimit = 200;
/** More are never open. */
const openMax = 1000;

export type SessionOperationsDependencies = Parameters<typeof rollBackProposals>[0];

/** The questions of `holdfast.session`. */
export function sessionOperations(deps: SessionOperationsDependencies): Record<string, OwnOperation> {
  const { db } = deps;
  return {
    'session.id': ownOperation(nothing, async ({ step }) => step.live.sessionId),
    'session.turn_number': ownOperation(nothing, async ({ step }) => numberOf(db, step)),
    'session.status': ownOperation(nothing, async ({ step }) => {
      return (await findSession(db, { id: step.live.sessionId }))?.status ?? null;
    }),
    'session.operations_count': ownOperation(nothing, async ({ step }) => {
      return await countOperations(db, { sessionId: step.live.sessionId });
    }),
    'session.allowed': ownOperation(z.tuple([operationNameSchema]), async ({ policy }, operation) => {
      return decide(policy, { operation }).allowed;
    }),
    'session.read_only': ownOperation(nothing, async ({ policy }) => policy?.world.readOnly ?? false),
    'session.proposal_mode': ownOperation(nothing, async ({ policy }) => policy?.world.proposalMode ?? false),
    'session.budget_remaining': ownOperation(z.tuple([budgetKind]), async ({ step }, kind) => {
      const session = await findSession(db, { id: step.live.sessionId });
      const [budget] = session?.budgetOf ? await findBudgets(db, [session.budgetOf]) : [];
      return budget?.remaining[kind] ?? null;
    }),
    'session.proposals': ownOperation(nothing, async ({ step }) => {
      // A list of all, in place of a page.
      const { items } = await listProposals(db, { sessionId: step.live.sessionId, status: 'open', limit: openMax });
      return items.map(proposalView);
    }),
    'session.rollback_proposals': ownOperation(
      nothing,
      async ({ step }) => {
        const asked = { operation: 'session.rollback_proposals', arguments: {}, decision: { allowed: true } } as const;
        const { route } = step;
        return await rollBackProposals(deps, { route, decider: { by: 'code' }, entry: callEntry(step, asked) });
      },
      { isAudited: true },
    ),
    // Null if the host has not approved them in advance: then the code asks it by `proposals.commit`.
    'session.commit_proposals': ownOperation(nothing, async ({ step }) => {
      const asked = { operation: 'proposal.commit', decision: { allowed: true } } as const;
      const entryOf = (given: object) => callEntry(step, { ...asked, arguments: { ...given } });
      return await commitAllProposals(deps, { route: step.route, entryOf });
    }),
    'session.audit_log': ownOperation(z.tuple([cursor.nullable().default(null)]), async ({ step }, after) => {
      const { sessionId } = step.live;
      const { tenant } = step.route;
      return await listAudit(db, { sessionId, tenant, limit: listLimit, ...(after !== null && { cursor: after }) });
    }),
  };
}

const numberPollMs = 10;

/** The row of a step may be written while its code runs already. */
async function numberOf(db: Database, { live, signal }: OperationCaller['step']): Promise<number | null> {
  while (!signal.aborted) {
    const row = await findStep(db, { sessionId: live.sessionId, stepId: live.id });
    if (row) return row.number;
    await delay(numberPollMs, undefined, { signal }).catch(() => {});
  }
  return null;
}
