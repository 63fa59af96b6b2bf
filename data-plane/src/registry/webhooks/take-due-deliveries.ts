import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { type WebhookDeliveryRow, webhookDeliveries } from '../schema/webhook-deliveries.ts';

type TakeInput = {
  limit: number;
  /** Attempts that are under way at a time, so that one slow receiver leaves places for others. */
  perWebhookMax: number;
  perTenantMax: number;
  /** Longer than an attempt can take. If the replica is gone by then, another one attempts anew. */
  leaseSeconds: number;
};

/**
 * Takes deliveries that are due, each for one replica, and counts the attempt. Looks at a few rows of each webhook, however many of them
 * wait: a receiver that answers no one costs the others nothing.
 */
export async function takeDueDeliveries(
  { sql }: Queries,
  { limit, perWebhookMax, perTenantMax, leaseSeconds }: TakeInput,
): Promise<WebhookDeliveryRow[]> {
  return await sql<WebhookDeliveryRow[]>`
    with recursive waiting as (
      (select webhook_id from webhook_deliveries where status = 'pending' order by webhook_id limit 1)
      union all
      select (
        select w.webhook_id from webhook_deliveries w where w.status = 'pending' and w.webhook_id > waiting.webhook_id
        order by w.webhook_id limit 1
      ) from waiting where webhook_id is not null
    ), under_way as materialized (
      select webhook_id, tenant from webhook_deliveries where status = 'pending' and leased_until > now()
    ), due as (
      select d.*, row_number() over (partition by d.tenant order by d.next_attempt_at)
        + (select count(*) from under_way u where u.tenant = d.tenant) as of_tenant
      from waiting cross join lateral (
        select webhook_id, event, subject_id, tenant, next_attempt_at from webhook_deliveries w
        where w.webhook_id = waiting.webhook_id and status = 'pending' and next_attempt_at <= now()
          and coalesce(leased_until <= now(), true)
        order by next_attempt_at
        limit greatest(0, ${perWebhookMax}::int - (select count(*) from under_way u where u.webhook_id = waiting.webhook_id))
      ) d
    ), chosen as (
      select w.webhook_id as of_webhook, w.event as of_event, w.subject_id as of_subject
      from webhook_deliveries w join due using (webhook_id, event, subject_id)
      where due.of_tenant <= ${perTenantMax}::int and w.status = 'pending' and coalesce(w.leased_until <= now(), true)
      order by due.next_attempt_at limit ${limit}::int for update of w skip locked
    )
    update webhook_deliveries set
      attempts = attempts + 1, last_attempt_at = now(),
      leased_until = now() + ${leaseSeconds}::float8 * interval '1 second'
    from chosen where webhook_id = of_webhook and event = of_event and subject_id = of_subject
    returning ${sql.unsafe(columns)}`;
}

const columns = columnsOf(webhookDeliveries);
