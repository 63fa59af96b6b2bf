import * as z from 'zod';
import { policyRequestSchema } from './policy.ts';
import { fromExportSchema, languageOf } from './state.ts';
import { budgetLimitsSchema } from './values/budget.ts';
import { environmentSchema } from './values/environment.ts';
import { sessionIdSchema, snapshotIdSchema, snapshotNameSchema } from './values/ids.ts';
import { filesSchema } from './values/inline-files.ts';
import { languageSchema } from './values/languages.ts';
import {
  clientKeySchema,
  lifeSeconds,
  metadataEntriesMax,
  metadataKey,
  metadataSchema,
  networkSchema,
  profileNameSchema,
} from './values/session-fields.ts';
import { idleActions, recoveryModes } from './values/session-status.ts';
import { rejectProtoKey, text } from './values/storable.ts';
import { webhooksSchema } from './webhook.ts';

export const createSessionSchema = z
  .strictObject({
    language: languageSchema.default('python').meta({ description: 'Language of the default context' }),
    metadata: metadataSchema.default({}),
    env: environmentSchema.default({}).meta({
      description: 'Environment variables of every kernel, job and process; stored encrypted and never returned',
    }),
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

export type CreateSession = z.infer<typeof createSessionSchema>;

/** As a merge patch: a text sets an entry, null removes it. */
const metadataPatchSchema = rejectProtoKey(
  z
    .record(metadataKey, text(1024).nullable())
    .refine((patch) => Object.keys(patch).length <= 2 * metadataEntriesMax, 'must change at most 128 entries'),
);

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
export type UpdateSession = z.infer<typeof updateSessionSchema>;
