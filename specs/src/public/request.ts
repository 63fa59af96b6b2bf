import * as z from 'zod';
import { cursorSchema, limitSchema } from './page.ts';
import { sessionStatuses } from './session.ts';

/** What requests carry besides bodies. Query parameters that are arrays here may be given more than once. */
export const pageQuerySchema = z.strictObject({ limit: limitSchema, cursor: cursorSchema.optional() });

/** `metadata` is `key:value`; a session matches when it has all of them. */
export const listSessionsQuerySchema = pageQuerySchema.extend({
  status: z.array(z.enum(sessionStatuses)).optional(),
  metadata: z.array(z.string().regex(/^[A-Za-z0-9._/-]{1,64}:[^\0]{0,1024}$/, 'must be key:value')).optional(),
});

/** Events with a seq up to this one are left out. */
export const eventSeqSchema = z.coerce.number().int().min(0).max(4_294_967_295);
export const eventsQuerySchema = z.strictObject({ after: eventSeqSchema.optional() });

/** Background output with a seq up to this one is left out. */
export const backgroundQuerySchema = z.strictObject({ after: eventSeqSchema.optional() });

/** How long a read of a step waits for its end, or for the next thing that it needs. */
export const stepQuerySchema = z.strictObject({ waitSeconds: z.coerce.number().min(0).max(60).optional() });

/** Names one intent of the client's: the same key with the same request gets the same answer. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters');
