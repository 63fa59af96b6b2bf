import * as z from 'zod';
import { sessionIdSchema } from './values/ids.ts';
import { text } from './values/storable.ts';

/** The ends that a webhook can be told of. */
export const webhookEvents = ['step.ended', 'job.ended', 'process.ended', 'session.ended'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
const webhookEventSchema = z.enum(webhookEvents);

const secretPattern = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/**
 * A URL that gets a POST for each end. The request is that of Standard Webhooks (standardwebhooks.com): `webhook-id` is the same for all
 * attempts, and `webhook-signature` is `v1,` and the HMAC-SHA256 of id, timestamp and body in base64.
 */
export const webhookSchema = z
  .strictObject({
    url: text(2048)
      .refine(isWebhookUrl, 'must be an http or https URL without a user, a password or a fragment')
      .meta({ description: 'https, and a public address, unless the operator allows private ones' }),
    events: z
      .array(webhookEventSchema)
      .min(1)
      .max(webhookEvents.length)
      .refine((events) => new Set(events).size === events.length, 'must not have an event twice')
      .default([...webhookEvents]),
    secret: z.string().regex(secretPattern, 'must be whsec_ and 24 to 64 bytes as base64').meta({
      description: 'Signs the requests; stored encrypted and never returned',
    }),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof webhookSchema>;

export const webhooksSchema = z.array(webhookSchema).max(8);

function isWebhookUrl(value: string): boolean {
  const url = URL.parse(value);
  const hasScheme = url?.protocol === 'http:' || url?.protocol === 'https:';
  return url !== null && hasScheme && url.username === '' && url.password === '' && url.hash === '';
}

/** A webhook as clients see it. */
export const shownWebhookSchema = z
  .object({ id: z.string(), url: z.string(), events: z.array(webhookEventSchema) })
  .meta({ id: 'ShownWebhook' });

/** The end of something as one webhook is told of it. */
export const webhookDeliverySchema = z
  .object({
    id: z.string().meta({ description: 'The header `webhook-id` of all attempts' }),
    webhookId: z.string(),
    url: z.string(),
    event: webhookEventSchema,
    subjectId: z
      .string()
      .meta({ description: 'The id of the step, the job, the process or the session that has ended' }),
    status: z
      .enum(['pending', 'delivered', 'failed'])
      .meta({ description: '`failed`: all attempts have failed, and no other one follows' }),
    attempts: z.number().int(),
    responseStatus: z.number().int().nullable().meta({ description: 'That of the latest response; null without one' }),
    fault: z.string().nullable().meta({ description: 'Why the latest attempt has failed' }),
    createdAt: z.iso.datetime(),
    lastAttemptAt: z.iso.datetime().nullable(),
    nextAttemptAt: z.iso.datetime().nullable().meta({ description: 'null if no other attempt follows' }),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

/** The body of a webhook's request. `data` says how it ended, without code and output; `GET` its address for these. */
export const webhookBodySchema = z
  .object({
    type: webhookEventSchema,
    timestamp: z.iso.datetime(),
    data: z.looseObject({ sessionId: sessionIdSchema, id: z.string(), status: z.string() }),
  })
  .meta({ id: 'WebhookBody' });
export type WebhookBody = z.infer<typeof webhookBodySchema>;
