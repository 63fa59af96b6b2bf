import * as z from 'zod';
import { stepIdSchema } from './ids.ts';
import { storable } from './storable.ts';

export const reportedNamesMax = 10_000;
export const nameLengthMax = 512;

/** Text about the user's code, which may contain anything. */
const told = z
  .string()
  .max(nameLengthMax)
  .overwrite((value) => storable(value));

export const lostNameSchema = z.object({
  name: told.meta({ description: "'*' stands for every name" }),
  reason: told,
});
export type LostName = z.infer<typeof lostNameSchema>;

/** What became of the state of one context whose kernel was lost. Every name that the context had is in exactly one of the lists. */
export const recoveryReportSchema = z
  .object({
    restored: z.array(told).max(reportedNamesMax).meta({ description: 'Names whose values came from the snapshot' }),
    replayed: z
      .array(told)
      .max(reportedNamesMax)
      .meta({ description: 'Names that code after the snapshot defined, which ran again' }),
    lost: z
      .array(lostNameSchema)
      .max(reportedNamesMax)
      .meta({ description: 'Names that do not exist any more, and why' }),
    stopped: z
      .object({ stepId: stepIdSchema, reason: told })
      .nullable()
      .meta({ description: 'The step at which the replay stopped, because it did not end as it did before' }),
  })
  .meta({ id: 'RecoveryReport' });
export type RecoveryReport = z.infer<typeof recoveryReportSchema>;
