import * as z from 'zod';
import { createContextSchema } from '../public/context.ts';
import { recoveryReportSchema } from '../public/state.ts';
import { stepStatuses } from '../public/step.ts';
import { stepIdSchema } from '../public/values/ids.ts';
import { int4 } from '../public/values/storable.ts';
import { callsMax, operationAnswerSchema } from './steps.ts';

const timeoutMs = z.number().int().min(1).max(600_000);

/**
 * `POST /v1/contexts/{contextId}/snapshot` answers 200 with the archive (see `public/state.ts`), which a client counts as broken if its
 * end is missing; 204 if the context has run nothing; 409 `context-busy` if a step runs or waits; 422 `snapshot-refused` if the state was
 * lost with its kernel, or `unsupported-by-runtime` if the language has no snapshots. The headers below say which state it is.
 */
export const takeSnapshotSchema = z.strictObject({
  bytesMax: z
    .number()
    .int()
    .min(1)
    .meta({ description: 'The size of the archive at most. Values that do not fit are not saved' }),
  timeoutMs: timeoutMs.meta({ description: 'Values that are not saved in this time are left out' }),
});
export type TakeSnapshot = z.infer<typeof takeSnapshotSchema>;

/**
 * The query of the same request. `for=fork`: the state begins another session, as it is now, so it has values that timers and open connections may
 * change later. Otherwise they are left out: a recovery from such a state could bring back a value that has changed since.
 */
export const takeSnapshotQuerySchema = z.object({ for: z.enum(['recovery', 'fork']).default('recovery') });

/** The contextEpoch of the saved state, and the execution count of the last step in it (0 right after a recovery). */
export const contextEpochHeader = 'holdfast-context-epoch';
export const executionCountHeader = 'holdfast-execution-count';
/** The silent steps that the kernel had begun, which have a count of their own. An earlier agent has none. */
export const silentCountHeader = 'holdfast-silent-count';

/** A call of a step that ran. `answer` is null if it is not known any more. */
const pastCallSchema = z.strictObject({
  call: int4(1).max(callsMax),
  name: z.string(),
  digest: z.hex().length(64).meta({ description: 'SHA-256 of the arguments as JSON' }),
  answer: operationAnswerSchema.nullable(),
});
export type PastCall = z.infer<typeof pastCallSchema>;

/** A step that the state of a context may have come from. `status` is how it ended; `lost` if that is not known. */
export const pastStepSchema = z.strictObject({
  stepId: stepIdSchema,
  code: z.string(),
  status: z.enum(stepStatuses),
  replay: z.boolean().meta({ description: 'Whether the whole step may run again' }),
  calls: z.array(pastCallSchema).max(callsMax).optional().meta({
    description:
      'The calls of operations that the step made, in order. They are answered in the same way if it runs again',
  }),
});
export type PastStep = z.infer<typeof pastStepSchema>;

/**
 * `PUT /v1/contexts/{contextId}/archive?for=…` takes the bytes of an archive for the recovery that follows and has the same name. An earlier one
 * of the context that no recovery has taken is dropped. Answers 204, or 413 `body-too-large`.
 */
export const archiveBytesMax = 4 * 2 ** 30;

export const archiveQuerySchema = z.object({
  for: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Names the recovery, so that it never gets the archive of another one' }),
});

/**
 * `POST /v1/contexts/{contextId}/recover?for=…`: gives the context the state of the archive that was uploaded for this recovery, if any, and then
 * that of `steps`, which ran after it, oldest first. Creates the context if there is none. A kernel that has run a step is replaced. Steps that
 * are sent meanwhile wait. The next step announces the report as `state_reset`. A problem says that nothing was recovered.
 */
export const recoverContextSchema = createContextSchema.extend({
  hasArchive: z.boolean(),
  steps: z.array(pastStepSchema).max(100_000),
  lostReason: z
    .string()
    .max(512)
    .optional()
    .meta({ description: 'Why the context begins with nothing. The report then has `*` as lost' }),
  timeoutMs,
});
export type RecoverContext = z.infer<typeof recoverContextSchema>;

export const recoveredContextSchema = z.object({ contextEpoch: int4(1), ...recoveryReportSchema.shape });
export type RecoveredContext = z.infer<typeof recoveredContextSchema>;
