import { newId, type Webhook } from '@holdfast/specs/public';
import type { Seal } from '../../keys/seal.ts';
import type { StoredWebhook } from '../../registry/schema/webhook-deliveries.ts';

/** The webhooks of a session as they are stored, each with an id and its secret sealed; null if there are none. */
export async function storedWebhooks(
  seal: Pick<Seal, 'close'>,
  webhooks: readonly Webhook[] = [],
): Promise<StoredWebhook[] | null> {
  if (webhooks.length === 0) return null;
  return await Promise.all(
    webhooks.map(async ({ url, events, secret }) => ({
      id: newId('whk'),
      url,
      events,
      secret: await seal.close(secret),
    })),
  );
}
