import { deliveryIdFor, type WebhookBody } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import type { WebhookDeliveryRow } from '../registry/schema/webhook-deliveries.ts';
import { markDueDeliveries } from '../registry/webhooks/mark-due-deliveries.ts';
import { type AttemptEnd, settleDelivery } from '../registry/webhooks/settle-delivery.ts';
import { takeDueDeliveries } from '../registry/webhooks/take-due-deliveries.ts';
import { postWebhook } from './post-webhook.ts';
import { attemptsMax, retryDelayMs } from './retry-delay.ts';
import { webhookHeaders } from './sign-webhook.ts';

export type DeliverDependencies = {
  db: Database;
  seal: Pick<Seal, 'open'>;
  log: Pick<Logger, 'error'>;
  webhooks: { allowsPrivate: boolean; timeoutMs: number };
  isDraining(): boolean;
  onAttempt(result: 'delivered' | 'failed' | 'given_up'): void;
};

const atOnceMax = 64;
const perWebhookMax = 4;
const perTenantMax = 16;

/**
 * Delivers ends to webhooks. Any replica takes what is due. An end is delivered at least once: an attempt that a replica did not live to settle is
 * made again under the same id, unless it was the last one.
 */
export function createDeliveries(deps: DeliverDependencies) {
  const underWay = new Set<Promise<void>>();
  return {
    /** Begins attempts for deliveries that are due, as many as there are places. Does not wait for them. */
    async deliverDue(): Promise<void> {
      if (!deps.isDraining()) {
        const failed = await markDueDeliveries(deps.db, { attemptsMax });
        for (let n = 0; n < failed; n++) deps.onAttempt('given_up');
      }
      while (!deps.isDraining() && underWay.size < atOnceMax) {
        const limit = atOnceMax - underWay.size;
        const leaseSeconds = (2 * deps.webhooks.timeoutMs) / 1000 + 10;
        const taken = await takeDueDeliveries(deps.db, { limit, perWebhookMax, perTenantMax, leaseSeconds });
        for (const delivery of taken) {
          const attempt = attemptOnce(deps, delivery).finally(() => underWay.delete(attempt));
          underWay.add(attempt);
        }
        if (taken.length < limit) return;
      }
    },

    /** Resolves when no attempt is under way. */
    async settled(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}

/** If its end cannot be recorded, the attempt is made again after its lease. Never rejects. */
async function attemptOnce(deps: DeliverDependencies, delivery: WebhookDeliveryRow): Promise<void> {
  const { sessionId, webhookId } = delivery;
  try {
    const end = await post(deps, delivery);
    await settleDelivery(deps.db, delivery, end);
    deps.onAttempt(end.isDelivered ? 'delivered' : end.retryMs === null ? 'given_up' : 'failed');
  } catch (err) {
    deps.log.error({ sessionId, webhookId, err }, 'the delivery to a webhook could not be recorded');
  }
}

async function post(deps: DeliverDependencies, delivery: WebhookDeliveryRow): Promise<AttemptEnd> {
  const { webhookId, event, subjectId, url, attempts } = delivery;
  const failed = (fault: string, responseStatus: number | null = null): AttemptEnd => {
    const retryMs = retryDelayMs({ attempts, chance: Math.random() });
    return { isDelivered: false, responseStatus, fault, retryMs };
  };
  const secret = await openSecret(deps, delivery);
  if (secret === null)
    return failed('the secret of this webhook can no longer be read: set the webhooks of the session again');
  try {
    const id = deliveryIdFor(webhookId, event, subjectId);
    const body = JSON.stringify(bodyOf(delivery));
    const headers = webhookHeaders({ id, timestamp: attemptedAt(delivery), body, secret });
    const status = await postWebhook({ url, headers, body, ...deps.webhooks });
    if (status >= 200 && status < 300) return { isDelivered: true, responseStatus: status };
    return failed(`the receiver answered ${status}`, status);
  } catch (error) {
    return failed(error instanceof Error ? error.message.slice(0, 500) : 'the request failed');
  }
}

/** Null if it was sealed under a key that the deployment does not have any more. */
async function openSecret(
  { seal, log }: DeliverDependencies,
  { sessionId, webhookId, secret }: WebhookDeliveryRow,
): Promise<string | null> {
  try {
    return await seal.open(secret);
  } catch (err) {
    log.error({ sessionId, webhookId, err }, 'the secret of a webhook does not open with the keys of this deployment');
    return null;
  }
}

/** Seconds since 1970 by the database's clock: receivers refuse what is signed by a clock that is minutes off. */
const attemptedAt = ({ lastAttemptAt, createdAt }: WebhookDeliveryRow) =>
  Math.floor((lastAttemptAt ?? createdAt).getTime() / 1000);

const bodyOf = ({ event, createdAt, content }: WebhookDeliveryRow) =>
  ({ type: event, timestamp: createdAt.toISOString(), data: content }) as WebhookBody;
