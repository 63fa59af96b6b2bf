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
 * Takes deliveries that are due, each for one replica, and counts the attempt. Call `markDueDeliveries` before.
 *
 * The cost does not depend on how many deliveries wait: the index leads from tenant to tenant, past those whose places are taken, and from webhook
 * to webhook, and a few rows of each are looked at. Webhooks with the fewest attempts under way come first, so that receivers that answer
 * nothing share the places of their tenant with those that do.
 */
export async function takeDueDeliveries(
  { sql }: Queries,
  { limit, perWebhookMax, perTenantMax, leaseSeconds }: TakeInput,
): Promise<WebhookDeliveryRow[]> {
  return await sql<WebhookDeliveryRow[]>`
    with recursive under_way as materialized (
      select webhook_id, tenant from webhook_deliveries where status = 'pending' and leased_until > now()
    ), tenants as (
      (select tenant from webhook_deliveries where status = 'pending' and is_due order by tenant limit 1)
      union all
      select (
        select w.tenant from webhook_deliveries w where w.status = 'pending' and w.is_due and w.tenant > tenants.tenant
        order by w.tenant limit 1
      ) from tenants where tenant is not null
    ), places as materialized (
      select tenant, ${perTenantMax}::int - (select count(*) from under_way u where u.tenant = tenants.tenant) as free
      from tenants where tenant is not null
    ), due as (
      select d.*, free, row_number() over (partition by tenant order by turn, next_attempt_at) as of_tenant
      from places cross join lateral (
        with recursive webhooks as (
          (select webhook_id from webhook_deliveries where status = 'pending' and is_due and tenant = places.tenant
          order by webhook_id limit 1)
          union all
          select (
            select w.webhook_id from webhook_deliveries w
            where w.status = 'pending' and w.is_due and w.tenant = places.tenant and w.webhook_id > webhooks.webhook_id
            order by w.webhook_id limit 1
          ) from webhooks where webhook_id is not null
        ), taken as (
          select webhook_id, (select count(*) from under_way u where u.webhook_id = webhooks.webhook_id) as count from webhooks
        )
        select r.*, taken.count + row_number() over (partition by r.webhook_id order by r.next_attempt_at) as turn
        from taken cross join lateral (
          select webhook_id, event, subject_id, next_attempt_at from webhook_deliveries w
          where w.tenant = places.tenant and w.webhook_id = taken.webhook_id and status = 'pending' and is_due
            and next_attempt_at <= now() and coalesce(leased_until <= now(), true)
          order by next_attempt_at limit greatest(0, ${perWebhookMax}::int - taken.count)
        ) r
      ) d where free > 0
    ), chosen as (
      select locked.* from (
        select webhook_id, event, subject_id from due where of_tenant <= free order by turn, next_attempt_at limit ${limit}::int
      ) first cross join lateral (
        select w.webhook_id as of_webhook, w.event as of_event, w.subject_id as of_subject from webhook_deliveries w
        where w.webhook_id = first.webhook_id and w.event = first.event and w.subject_id = first.subject_id
          and w.status = 'pending' and w.is_due and coalesce(w.leased_until <= now(), true)
        for update skip locked
      ) locked
    )
    update webhook_deliveries set
      attempts = attempts + 1, last_attempt_at = now(), is_due = false,
      leased_until = now() + ${leaseSeconds}::float8 * interval '1 second',
      next_attempt_at = now() + ${leaseSeconds}::float8 * interval '1 second'
    from chosen where webhook_id = of_webhook and event = of_event and subject_id = of_subject
    returning ${sql.unsafe(columns)}`;
}

const columns = columnsOf(webhookDeliveries);
