import type { Page } from '@holdfast/specs/public';
import { columnsOf } from '../columns-of.ts';
import { decodeTimeCursor, encodeCursor } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type WebhookDeliveryRow, webhookDeliveries } from '../schema/webhook-deliveries.ts';

/**
 * The deliveries of a session's ends, newest first.
 * @throws Problem `invalid-request` if the cursor is invalid
 */
export async function listDeliveries(
  { sql }: Queries,
  { sessionId, limit, cursor }: { sessionId: string; limit: number; cursor?: string | undefined },
): Promise<Page<WebhookDeliveryRow>> {
  const after = cursor === undefined ? null : decodeTimeCursor(cursor);
  const rows = await sql<WebhookDeliveryRow[]>`
    select ${sql.unsafe(columns)} from webhook_deliveries
    where session_id = ${sessionId} and (${after === null}::boolean
      or (created_at, ${sql.unsafe(key)}) < (${after?.at.toISOString() ?? null}::timestamptz, ${after?.id ?? null}))
    order by created_at desc, ${sql.unsafe(key)} desc limit ${limit + 1}::int`;
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const isMore = rows.length > limit && last;
  return { items, nextCursor: isMore ? encodeCursor([last.createdAt.getTime(), keyOf(last)]) : null };
}

/** Ids have no space. */
const key = `webhook_id || ' ' || event || ' ' || subject_id`;
const keyOf = ({ webhookId, event, subjectId }: WebhookDeliveryRow): string => `${webhookId} ${event} ${subjectId}`;

const columns = columnsOf(webhookDeliveries);
