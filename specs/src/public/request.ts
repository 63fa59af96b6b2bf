import * as z from 'zod';
import { runJobQuerySchema } from './job.ts';
import { shareTokenSchema } from './share.ts';
import { operationIdSchema } from './values/ids.ts';
import { listOrders, pageQuerySchema } from './values/page.ts';
import { clientKeySchema } from './values/session-fields.ts';
import { sessionStatuses } from './values/session-status.ts';
import { waitSecondsSchema } from './values/waiting.ts';

/** `metadata` is `key:value`; a session matches if it has all of them. A query can repeat the parameters that are arrays here. */
export const listSessionsQuerySchema = pageQuerySchema.extend({
  status: z.array(z.enum(sessionStatuses)).optional(),
  metadata: z.array(z.string().regex(/^[A-Za-z0-9._/-]{1,64}:[^\0]{0,1024}$/, 'must be key:value')).optional(),
  clientKey: clientKeySchema.optional(),
  createdAfter: z.iso.datetime({ offset: true }).optional(),
  createdBefore: z.iso.datetime({ offset: true }).optional(),
  order: z.enum(listOrders).default('desc'),
});

/** `GET /v1/sessions/{sessionId}/steps` */
export const listStepsQuerySchema = pageQuerySchema.extend({ order: z.enum(listOrders).default('asc') });

/** No step has so many events. */
export const eventSeqMax = 4_294_967_295;
export const eventSeqSchema = z.coerce.number().int().min(0).max(eventSeqMax);

export const tokenInQuery = shareTokenSchema.optional().meta({
  description: 'The token of a share link, for an EventSource or a WebSocket of a browser, which sends no headers',
});

const brief = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true')
  .meta({
    type: 'string',
    description: '`true`: the step in `finished` has neither output nor results, since earlier events had them',
    example: 'true',
  });

/** `POST /v1/sessions/{sessionId}/steps` */
export const runStepQuerySchema = z.strictObject({ brief });

/** `after` selects the events with a higher seq. */
export const eventsQuerySchema = z.strictObject({ after: eventSeqSchema.optional(), token: tokenInQuery, brief });

/** The place behind an event in the stream of a session. */
export const sessionCursorSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,8192}$/, 'must be the cursor of an event of this session');

/** `GET /v1/sessions/{sessionId}/events` */
export const followSessionQuerySchema = z.strictObject({
  after: sessionCursorSchema.optional().meta({ description: 'Only events after the one with this cursor' }),
  from: z.enum(['start', 'now']).default('start').meta({
    description: 'Without a cursor: all that is recorded of the session first, or only the steps that have not ended',
  }),
  token: tokenInQuery,
  brief,
});

/** `after` selects the background output with a higher seq. */
export const backgroundQuerySchema = z.strictObject({ after: eventSeqSchema.optional() });

/** The time that a read of a step waits until the step ends or needs something, and the operation behind which it waits for the next. */
export const stepQuerySchema = z.strictObject({ waitSeconds: waitSecondsSchema, after: operationIdSchema.optional() });

/** The time that a read of a job waits until the job ends, and the form in which it is wanted. */
export const jobQuerySchema = runJobQuerySchema.extend({ waitSeconds: waitSecondsSchema });

/** A list of jobs has each in the form that is wanted. */
export const listJobsQuerySchema = listStepsQuerySchema.extend(runJobQuerySchema.shape);

/** Identifies one intent of the client: the same key with the same request gets the same answer. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters');
