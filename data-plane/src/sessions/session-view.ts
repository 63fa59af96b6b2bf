import type { Session } from '@holdfast/specs/public';
import { budgetView } from '../policy/budgets/budget-view.ts';
import { policyView } from '../policy/rules/resolve-policy.ts';
import { type BudgetRow, findBudgets } from '../registry/budgets/find-budgets.ts';
import type { Queries } from '../registry/queries.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';

/** The session in the form that clients see. */
export async function sessionView(db: Queries, row: SessionRow): Promise<Session> {
  const budgets = row.budgetOf === null ? [] : await findBudgets(db, [row.budgetOf]);
  return viewWith(row, budgets[0]);
}

/** The same of several sessions. */
export async function sessionViews(db: Queries, rows: readonly SessionRow[]): Promise<Session[]> {
  const ids = new Set(rows.flatMap(({ budgetOf }) => budgetOf ?? []));
  const budgets = ids.size === 0 ? [] : await findBudgets(db, [...ids]);
  return rows.map((row) =>
    viewWith(
      row,
      budgets.find(({ id }) => id === row.budgetOf),
    ),
  );
}

function viewWith(row: SessionRow, budget: BudgetRow | undefined): Session {
  return {
    id: row.id,
    status: row.status,
    language: row.language,
    runtime: row.runtime,
    network: row.network,
    profile: row.profile,
    epoch: row.epoch,
    metadata: row.metadata,
    clientKey: row.clientKey,
    timeoutSeconds: row.timeoutSeconds,
    idleTimeoutSeconds: row.idleTimeoutSeconds,
    policy: policyView(row.policy),
    recovery: row.recovery,
    onIdle: row.onIdle,
    lostReason: row.lostReason,
    lostMessage: row.lostMessage,
    lastRecovery: row.lastRecovery,
    budget: budget ? budgetView(budget) : null,
    webhooks: (row.webhooks ?? []).map(({ id, url, events }) => ({ id, url, events })),
    stepCount: row.stepCount,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    lastActivityAt: row.lastActivityAt.toISOString(),
    expiresAt: new Date(row.createdAt.getTime() + row.timeoutSeconds * 1000).toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    endReason: row.endReason,
    endMessage: row.endMessage,
  };
}
