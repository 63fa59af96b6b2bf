import * as z from 'zod';
import { policySchema } from './policy.ts';
import { lostNameSchema, recoveryReportSchema } from './state.ts';
import { budgetSchema } from './values/budget.ts';
import { contextIdSchema, sessionIdSchema } from './values/ids.ts';
import { languageSchema } from './values/languages.ts';
import { clientKeySchema, metadataSchema, networkSchema, profileNameSchema } from './values/session-fields.ts';
import { endReasons, idleActions, lossReasons, recoveryModes, sessionStatuses } from './values/session-status.ts';
import { shownWebhookSchema } from './webhook.ts';

/** The latest loss of the session's state, and what came back. */
export const lastRecoverySchema = z
  .object({
    epoch: z.number().int().meta({ description: 'The sandbox that has the recovered state' }),
    time: z.iso.datetime(),
    contexts: z.array(
      z.object({
        contextId: contextIdSchema,
        language: languageSchema,
        contextEpoch: z
          .number()
          .int()
          .optional()
          .meta({ description: 'The kernel that has the recovered state; missing if there is none' }),
        ...recoveryReportSchema.shape,
      }),
    ),
    omitted: z
      .number()
      .int()
      .meta({ description: 'How many names are left out, because the report would be too long' }),
    files: z
      .object({
        restored: z.number().int().meta({ description: 'The number of files that the session began with' }),
        lost: z
          .array(lostNameSchema)
          .meta({ description: "Paths that could not be saved, and why. '*' stands for further ones" }),
      })
      .optional()
      .meta({ description: 'Only of a session that began with the files of another one' }),
  })
  .meta({ id: 'LastRecovery' });
export type LastRecovery = z.infer<typeof lastRecoverySchema>;

export const sessionSchema = z
  .object({
    id: sessionIdSchema,
    status: z.enum(sessionStatuses),
    language: languageSchema,
    runtime: z.string(),
    network: networkSchema,
    profile: profileNameSchema,
    epoch: z.number().int().meta({ description: 'Counts the sandboxes of the session: 1, 2, …' }),
    metadata: metadataSchema,
    clientKey: clientKeySchema.nullable(),
    timeoutSeconds: z.number().int(),
    idleTimeoutSeconds: z.number().int(),
    policy: policySchema,
    recovery: z.enum(recoveryModes),
    onIdle: z.enum(idleActions),
    lostReason: z
      .enum(lossReasons)
      .nullable()
      .meta({ description: 'Why the latest sandbox was lost; null if none was' }),
    lostMessage: z.string().nullable(),
    lastRecovery: lastRecoverySchema.nullable(),
    budget: budgetSchema.nullable().meta({ description: 'null without a budget' }),
    webhooks: z.array(shownWebhookSchema),
    stepCount: z
      .number()
      .int()
      .meta({ description: 'The number of steps recorded so far, which is the highest step number' }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    lastActivityAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().meta({ description: 'The time at which the session reaches its maximum age' }),
    endedAt: z.iso.datetime().nullable(),
    endReason: z.enum(endReasons).nullable(),
    endMessage: z.string().nullable(),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof sessionSchema>;
