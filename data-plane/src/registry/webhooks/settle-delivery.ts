import type { Queries } from '../queries.ts';
import type { WebhookDeliveryRow } from '../schema/webhook-deliveries.ts';

/** `retryMs`: the wait before the next attempt; null: no other one follows. */
export type AttemptEnd =
  | { isDelivered: true; responseStatus: number }
  | { isDelivered: false; responseStatus: number | null; fault: string; retryMs: number | null };

/** Records the end of an attempt, unless another replica has begun a later one meanwhile. */
export async function settleDelivery(
  { sql }: Queries,
  { webhookId, event, subjectId, attempts }: WebhookDeliveryRow,
  end: AttemptEnd,
): Promise<void> {
  const retryMs = end.isDelivered ? null : end.retryMs;
  await sql`
    update webhook_deliveries set
      status = ${end.isDelivered ? 'delivered' : retryMs === null ? 'failed' : 'pending'},
      response_status = ${end.responseStatus}::int, fault = ${end.isDelivered ? null : end.fault}, leased_until = null, is_due = false,
      next_attempt_at = now() + ${retryMs ?? 0}::float8 * interval '1 millisecond'
    where webhook_id = ${webhookId} and event = ${event} and subject_id = ${subjectId}
      and status = 'pending' and attempts = ${attempts}::int`;
}
