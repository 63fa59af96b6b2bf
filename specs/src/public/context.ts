import * as z from 'zod';
import { commMessageSchema } from './comm.ts';
import { environmentSchema } from './values/environment.ts';
import { contextIdSchema, stepIdSchema } from './values/ids.ts';
import { languageSchema } from './values/languages.ts';
import { contextLimitsSchema } from './values/resources.ts';
import { text } from './values/storable.ts';

export const createContextSchema = z
  .strictObject({
    language: languageSchema,
    cwd: text(4096).min(1).optional().meta({ description: 'Working directory, relative to the workspace' }),
    env: environmentSchema.default({}),
    limits: contextLimitsSchema.optional(),
  })
  .meta({ id: 'CreateContext' });
export type CreateContext = z.infer<typeof createContextSchema>;

export const contextSchema = z
  .object({
    id: contextIdSchema,
    language: languageSchema,
    isDefault: z.boolean(),
    contextEpoch: z.number().int().meta({
      description: "Counts the kernels of the context; if it changes, the context's state was reset",
    }),
    state: z.enum(['starting', 'idle', 'busy', 'dead']),
    cwd: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Context' });
export type Context = z.infer<typeof contextSchema>;

/**
 * Text or a comm message that came after the end of its step, from the step's threads, tasks and child processes. `stepId` is null if it
 * is not known.
 */
export const backgroundOutputSchema = z
  .object({
    seq: z.number().int().min(1),
    time: z.iso.datetime(),
    stepId: stepIdSchema.nullable(),
    stream: z.enum(['stdout', 'stderr', 'comm']),
    text: z.string().meta({ description: 'Empty for a comm message' }),
    comm: commMessageSchema.optional(),
  })
  .meta({ id: 'BackgroundOutput' });
export type BackgroundOutput = z.infer<typeof backgroundOutputSchema>;

/** The latest background output of a context, at most 256 KiB. `droppedBytes` counts the bytes before it that were dropped. */
export const backgroundPageSchema = z
  .object({ items: z.array(backgroundOutputSchema).max(10_000), droppedBytes: z.number().int().min(0) })
  .meta({ id: 'BackgroundPage' });
export type BackgroundPage = z.infer<typeof backgroundPageSchema>;
