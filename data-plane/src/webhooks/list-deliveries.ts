import { deliveryIdFor, type Page, type WebhookDelivery } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import type { WebhookDeliveryRow } from '../registry/schema/webhook-deliveries.ts';
import { listDeliveries as listRows } from '../registry/webhooks/list-deliveries.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';

type ListInput = { caller: Caller; sessionId: string; limit: number; cursor?: string | undefined };

/**
 * The deliveries of a session's ends to its webhooks, newest first.
 * @throws Problem 404, 410 (deleted session)
 */
export async function listDeliveries(
  { db }: { db: Database },
  { caller, sessionId, ...page }: ListInput,
): Promise<Page<WebhookDelivery>> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const { items, nextCursor } = await listRows(db, { sessionId, ...page });
  return { items: items.map(deliveryView), nextCursor };
}

const deliveryView = (row: WebhookDeliveryRow): WebhookDelivery => ({
  id: deliveryIdFor(row.webhookId, row.event, row.subjectId),
  webhookId: row.webhookId,
  url: row.url,
  event: row.event,
  subjectId: row.subjectId,
  status: row.status,
  attempts: row.attempts,
  responseStatus: row.responseStatus,
  fault: row.fault,
  createdAt: row.createdAt.toISOString(),
  lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
  nextAttemptAt: row.status === 'pending' ? row.nextAttemptAt.toISOString() : null,
});
