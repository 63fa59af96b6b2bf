import * as z from 'zod';
import { budgetLimitsSchema, budgetSchema } from './budget.ts';
import { filesSchema } from './inline-files.ts';
import { policyRequestSchema, policySchema } from './policy.ts';
import { fromExportSchema, languageOf, lostNameSchema, recoveryReportSchema } from './state.ts';
import { sandboxEnds } from './values/cause.ts';
import { environmentSchema } from './values/environment.ts';
import { contextIdSchema, sessionIdSchema, snapshotIdSchema, snapshotNameSchema } from './values/ids.ts';
import { languageSchema } from './values/languages.ts';
import { rejectProtoKey, text } from './values/storable.ts';
import { shownWebhookSchema, webhooksSchema } from './webhook.ts';

export const sessionStatuses = [
  'creating',
  'active',
  'budget_exceeded',
  'lost',
  'recovering',
  'pausing',
  'paused',
  'resuming',
  'completed',
  'aborted',
  'expired',
  'failed',
] as const;

/** When a session loses its sandbox, it gets another one, waits for the host, or fails. */
export const recoveryModes = ['auto', 'manual', 'off'] as const;
/** Why a session lost its sandbox. */
export const lossReasons = [...sandboxEnds, 'step_overran'] as const;
export type LossReason = (typeof lossReasons)[number];

/** A session that is idle for its idle timeout ends, or is paused. */
export const idleActions = ['end', 'pause'] as const;
export type IdleAction = (typeof idleActions)[number];

export type RecoveryMode = (typeof recoveryModes)[number];

export const endReasons = [
  'completed_by_host',
  'aborted_by_host',
  'job_ended',
  'idle_timeout',
  'max_age',
  'sandbox_start_timeout',
  'sandbox_start_failed',
  'runtime_unavailable',
  'image_pull_failed',
  'unschedulable',
  'recovery_failed',
  ...sandboxEnds,
  'step_overran',
  'too_much_output',
  'data_plane_stopped',
] as const;

export type SessionStatus = (typeof sessionStatuses)[number];
export type EndReason = (typeof endReasons)[number];

const metadataKey = z.string().regex(/^[A-Za-z0-9._/-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ / -');

export const metadataEntriesMax = 64;

export const metadataSchema = rejectProtoKey(
  z
    .record(metadataKey, text(1024))
    .refine((metadata) => Object.keys(metadata).length <= metadataEntriesMax, 'must have at most 64 entries'),
);

/** As a merge patch: a text sets an entry, null removes it. */
const metadataPatchSchema = rejectProtoKey(
  z
    .record(metadataKey, text(1024).nullable())
    .refine((patch) => Object.keys(patch).length <= 2 * metadataEntriesMax, 'must change at most 128 entries'),
);

/** A week, in seconds. */
export const lifeSecondsMax = 604_800;
const lifeSeconds = z.number().int().min(1).max(lifeSecondsMax);

/** A client's own name for a session, unique among the living sessions of a tenant. */
export const clientKeySchema = text(255).min(1);

export const networkSchema = z.enum(['none', 'internet']);
export type Network = z.infer<typeof networkSchema>;

/** A name from the operator's list; a DNS label. */
export const profileNameSchema = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be 1 to 63 of a-z 0-9 -, and must not begin or end with -');

export const createSessionSchema = z
  .strictObject({
    language: languageSchema.default('python').meta({ description: 'Language of the default context' }),
    metadata: metadataSchema.default({}),
    env: environmentSchema
      .default({})
      .meta({ description: 'Environment variables of every kernel; stored encrypted and never returned' }),
    timeoutSeconds: lifeSeconds.optional().meta({ description: 'Maximum age' }),
    idleTimeoutSeconds: lifeSeconds
      .optional()
      .meta({ description: 'The session ends when no step has run, and no file was uploaded, for this long' }),
    network: networkSchema.optional().meta({
      description: 'The network that code can reach; default: the most restricted one that the runtime offers',
    }),
    policy: policyRequestSchema.optional().meta({
      description:
        "A preset's name, or rules; default: the operator's. One that allows more than the operator's needs a key with the scope host",
    }),
    recovery: z.enum(recoveryModes).optional().meta({
      description:
        'If the sandbox is lost: `auto` gives the session another one with its files and the state of its contexts, `manual` waits for `POST …/recover`, `off` (the default) ends the session',
    }),
    onIdle: z.enum(idleActions).optional().meta({
      description:
        'After the idle timeout the session ends (the default), or is paused. A pause loses the names that cannot be saved',
    }),
    fromSnapshot: z.union([snapshotIdSchema, snapshotNameSchema]).optional().meta({
      description:
        'The id or the name of a snapshot of the same tenant. The default context starts with its state, and the workspace with its files, unless `files` has others at their paths',
    }),
    budget: budgetLimitsSchema.optional().meta({
      description:
        "The limits of the session. One that is left out is the operator's default. A key without the scope `host` cannot exceed that default",
    }),
    budgetOf: sessionIdSchema.optional().meta({
      description: 'Shares the budget of another session of the same tenant, instead of having one of its own',
    }),
    fromExport: fromExportSchema.optional().meta({
      description:
        'An export as JSON or as a notebook, whose code runs in the default context before the session is ready',
    }),
    files: filesSchema.optional().meta({ description: 'The initial files of the workspace, by path' }),
    clientKey: clientKeySchema.optional().meta({
      description:
        'Your own name for the session. If a session of the tenant that has not ended has it, the answer is that session as it is, with status 200, and the rest of the request is not looked at',
    }),
    webhooks: webhooksSchema.optional(),
    profile: profileNameSchema.optional().meta({
      description:
        "Name of a set of image, resources and limits; default: the operator's first profile that has the language",
    }),
  })
  .refine((session) => !(session.fromSnapshot && session.fromExport), {
    message: 'must not be given together with fromSnapshot',
    path: ['fromExport'],
  })
  .refine((session) => !(session.budget && session.budgetOf), {
    message: 'must not be given together with budget',
    path: ['budgetOf'],
  })
  .refine(({ fromExport, language }) => !fromExport || (languageOf(fromExport) ?? language) === language, {
    message: 'must be the language of the export',
    path: ['language'],
  })
  .meta({ id: 'CreateSession' });

export const updateSessionSchema = z
  .strictObject({
    metadata: metadataPatchSchema.optional().meta({
      description: 'A merge patch: a text sets an entry, null removes it, and the other entries stay',
    }),
    timeoutSeconds: lifeSeconds
      .optional()
      .meta({ description: 'Maximum age, counted from the creation of the session' }),
    expiresInSeconds: lifeSeconds
      .optional()
      .meta({ description: 'Sets the maximum age so that the session reaches it in this time from now' }),
    idleTimeoutSeconds: lifeSeconds.optional(),
    policy: policyRequestSchema.optional().meta({
      description: 'Rules to change, or a preset. To allow more than before needs a key with the scope host',
    }),
    webhooks: webhooksSchema.optional().meta({
      description: 'Replaces all webhooks, for what starts from then on and for the end of the session',
    }),
    budget: budgetLimitsSchema.nullable().optional().meta({
      description:
        'Changes limits of the budget, for every session that shares it. Only a key with the scope `host` may raise or remove a limit. `null` takes the session out of its budget',
    }),
  })
  .refine((patch) => Object.keys(patch).length > 0, 'must change at least one field')
  .refine((patch) => patch.timeoutSeconds === undefined || patch.expiresInSeconds === undefined, {
    message: 'must not be given together with timeoutSeconds',
    path: ['expiresInSeconds'],
  })
  .meta({ id: 'UpdateSession' });

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

/** `POST /v1/sessions/{sessionId}/recover` */
export const recoverSchema = z
  .strictObject({
    strategy: z.enum(['snapshot', 'replay']).default('snapshot').meta({
      description:
        '`snapshot` gives a lost session another sandbox with its latest snapshots. `replay` also runs the whole history of each context again, in order and without its output, also in a session that is active',
    }),
  })
  .meta({ id: 'Recover' });

/** `POST /v1/sessions/{sessionId}/pause` */
export const pauseSchema = z
  .strictObject({
    force: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether to pause even if names or files cannot be saved, which are then lost' }),
  })
  .meta({ id: 'Pause' });
export type Pause = z.infer<typeof pauseSchema>;

export const forksMax = 16;

/** `POST /v1/sessions/{sessionId}/fork` */
export const forkSchema = z
  .strictObject({
    count: z.number().int().min(1).max(forksMax).default(1).meta({ description: 'The number of new sessions' }),
    snapshotId: snapshotIdSchema.optional().meta({
      description: 'A snapshot of the session, instead of its state and its files as they are now',
    }),
    metadata: metadataSchema.optional().meta({ description: 'Instead of the metadata of the session' }),
    budget: budgetLimitsSchema.optional().meta({
      description:
        'A budget for each new session. Without it they share the budget of the session; only a key with the scope `host` may leave that',
    }),
  })
  .meta({ id: 'Fork' });
export type Fork = z.infer<typeof forkSchema>;

export const forksSchema = z.object({ items: z.array(sessionSchema) }).meta({ id: 'Forks' });
export type Forks = z.infer<typeof forksSchema>;

/** A part of a session's state that a pause cannot save. */
export const unsavedSchema = z.object({
  contextId: contextIdSchema.nullable().meta({ description: 'Null for a file' }),
  name: z.string().meta({ description: "A name, or the path of a file. '*' stands for every name" }),
  reason: z.string(),
});
export type Unsaved = z.infer<typeof unsavedSchema>;

export const pausedSchema = z
  .object({ ...sessionSchema.shape, notSaved: z.array(unsavedSchema) })
  .meta({ id: 'PausedSession' });
export type PausedSession = z.infer<typeof pausedSchema>;

export type CreateSession = z.infer<typeof createSessionSchema>;
export type UpdateSession = z.infer<typeof updateSessionSchema>;
export type Session = z.infer<typeof sessionSchema>;
