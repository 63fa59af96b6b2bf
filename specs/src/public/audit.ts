import * as z from 'zod';
import { cost } from './values/budget.ts';
import { sessionIdSchema, stepIdSchema } from './values/ids.ts';
import { pageQuerySchema } from './values/page.ts';
import { json } from './values/result.ts';
import { text } from './values/storable.ts';

/** `agent` and `user` send steps, `host` is the application that owns the session, and `system` is Holdfast itself. */
export const auditActors = ['agent', 'user', 'host', 'system'] as const;
export type AuditActor = (typeof auditActors)[number];

export const auditDecisions = ['allowed', 'denied'] as const;
export type AuditDecision = (typeof auditDecisions)[number];

const operationName = text(256).meta({ description: 'Such as `session.pause`, `step.run` or `llm.complete`' });

export const auditEntrySchema = z
  .object({
    id: z.string().meta({ description: 'Unique in the session' }),
    time: z.iso.datetime(),
    sessionId: sessionIdSchema,
    turn: z.number().int().nullable().meta({ description: 'The number of the step that it belongs to' }),
    stepId: stepIdSchema.nullable(),
    actor: z.enum(auditActors),
    actorName: z.string().nullable(),
    keyId: z.string().nullable().meta({ description: 'The API key or the share link of the request' }),
    operation: operationName,
    arguments: z
      .record(z.string(), json)
      .nullable()
      .meta({ description: 'Cut to 4 KiB, and without the values of fields whose names sound secret' }),
    decision: z.enum(auditDecisions),
    rule: z.string().nullable().meta({ description: 'The rule that denied it' }),
    count: z.number().int().min(1).meta({
      description:
        'How many calls the entry stands for. The first 100 calls of an operation that a step makes have an entry each; later ones that change nothing share one',
    }),
    durationMs: z.number().nullable().meta({ description: 'The sum, if the entry stands for several calls' }),
    tokens: z.number().int().nullable(),
    cost: cost.nullable(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** An entry of anything that belongs to a tenant and to no session. */
export const tenantAuditEntrySchema = auditEntrySchema
  .pick({ id: true, time: true, actor: true, actorName: true, keyId: true, operation: true, arguments: true })
  .extend({ tenant: z.string() })
  .meta({ id: 'TenantAuditEntry' });
export type TenantAuditEntry = z.infer<typeof tenantAuditEntrySchema>;

/** `GET /v1/sessions/{sessionId}/audit` */
export const auditQuerySchema = z.strictObject({
  ...pageQuerySchema.shape,
  turn: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Only the entries of the step with this number' }),
  operation: operationName.optional().meta({ description: 'Only the entries of this operation' }),
});

/** `GET /v1/audit` */
export const tenantAuditQuerySchema = auditQuerySchema.omit({ turn: true });

/** `GET /v1/sessions/{sessionId}/audit/statistics` */
export const auditStatisticsSchema = z
  .object({
    items: z.array(
      z.object({
        operation: operationName,
        count: z.number().int(),
        denied: z.number().int(),
        durationMs: z.number().meta({ description: 'The sum, as far as it is known' }),
        tokens: z.number().int(),
        cost,
      }),
    ),
  })
  .meta({ id: 'AuditStatistics' });
export type AuditStatistics = z.infer<typeof auditStatisticsSchema>;
