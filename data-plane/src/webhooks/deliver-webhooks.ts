import { deliveryIdFor, type WebhookBody } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import type { WebhookDeliveryRow } from '../registry/schema/webhook-deliveries.ts';
import { type AttemptEnd, settleDelivery } from '../registry/webhooks/settle-delivery.ts';
import { takeDueDeliveries } from '../registry/webhooks/take-due-deliveries.ts';
import { postWebhook } from './post-webhook.ts';
import { retryDelayMs } from './retry-delay.ts';
import { webhookHeaders } from './sign-webhook.ts';

export type DeliverDependencies = {
  db: Database;
  seal: Pick<Seal, 'open'>;
  log: Pick<Logger, 'error'>;
  webhooks: { allowsPrivate: boolean; timeoutMs: number };
  isDraining(): boolean;
};

const atOnceMax = 64;
const perWebhookMax = 4;
const perTenantMax = 16;

/**
 * Delivers ends to webhooks. Any replica takes what is due. An end is delivered at least once: an attempt that a replica did not live to settle is
 * made again under the same id.
 */
export function createDeliveries(deps: DeliverDependencies) {
  const underWay = new Set<Promise<void>>();
  return {
    /** Begins attempts for deliveries that are due, as many as there are places. Does not wait for them. */
    async deliverDue(): Promise<void> {
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
  try {
    await settleDelivery(deps.db, delivery, await post(deps, delivery));
  } catch (err) {
    const { sessionId, webhookId } = delivery;
    deps.log.error({ sessionId, webhookId, err }, 'the delivery to a webhook could not be recorded');
  }
}

async function post({ seal, webhooks }: DeliverDependencies, delivery: WebhookDeliveryRow): Promise<AttemptEnd> {
  const { webhookId, event, subjectId, url, attempts } = delivery;
  const failed = (fault: string, responseStatus: number | null): AttemptEnd => {
    const retryMs = retryDelayMs({ attempts, chance: Math.random() });
    return { isDelivered: false, responseStatus, fault, retryMs };
  };
  try {
    const id = deliveryIdFor(webhookId, event, subjectId);
    const body = JSON.stringify(bodyOf(delivery));
    const secret = await seal.open(delivery.secret);
    const headers = webhookHeaders({ id, timestamp: Math.floor(Date.now() / 1000), body, secret });
    const status = await postWebhook({ url, headers, body, ...webhooks });
    if (status >= 200 && status < 300) return { isDelivered: true, responseStatus: status };
    return failed(`the receiver answered ${status}`, status);
  } catch (error) {
    return failed(error instanceof Error ? error.message.slice(0, 500) : 'the request failed', null);
  }
}

const bodyOf = ({ event, createdAt, content }: WebhookDeliveryRow) =>
  ({ type: event, timestamp: createdAt.toISOString(), data: content }) as WebhookBody;
