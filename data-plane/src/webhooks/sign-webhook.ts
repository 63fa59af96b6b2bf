import { createHmac } from 'node:crypto';

type Signed = { id: string; timestamp: number; body: string; secret: string };

/** The headers of Standard Webhooks 1.0. `timestamp` is in seconds since 1970; `secret` is `whsec_` and base64. Pure. */
export const webhookHeaders = ({ id, timestamp, body, secret }: Signed): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': `${timestamp}`,
  'webhook-signature': `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')}`,
});
