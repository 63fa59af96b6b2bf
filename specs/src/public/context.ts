import * as z from 'zod';
import { environmentSchema } from './environment.ts';
import { contextIdSchema, stepIdSchema } from './ids.ts';
import { languageSchema } from './languages.ts';
import { actorSchema } from './step.ts';
import { text } from './text.ts';

/** Limits of one kernel's process, beside those of the sandbox (setrlimit(2)); each holds for its child processes too, one by one. */
export const contextLimitsSchema = z
  .strictObject({
    memoryMb: z
      .number()
      .int()
      .min(16)
      .max(1_048_576)
      .optional()
      .meta({ description: 'Data of the process (RLIMIT_DATA)' }),
    cpuSeconds: z
      .number()
      .int()
      .min(1)
      .max(31_536_000)
      .optional()
      .meta({ description: 'CPU time of its whole life (RLIMIT_CPU)' }),
    processesMax: z.number().int().min(1).max(65_536).optional().meta({
      description: 'Processes of the whole sandbox from which this context may still start one (RLIMIT_NPROC)',
    }),
  })
  .meta({ id: 'ContextLimits' });
export type ContextLimits = z.infer<typeof contextLimitsSchema>;

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
    contextEpoch: z.number().int().meta({ description: "Which life of the context's kernel this is" }),
    state: z.enum(['starting', 'idle', 'busy', 'dead']),
    cwd: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Context' });
export type Context = z.infer<typeof contextSchema>;

/** What a kernel says of one name that steps have defined. `size` is a length or a count of bytes, where the type has one. */
export const symbolSchema = z.object({
  name: z.string().max(512),
  kind: z.enum(['variable', 'function', 'class', 'module']),
  type: z.string().max(512),
  preview: z.string().max(512),
  size: z.number().int().nullable(),
  stepId: stepIdSchema.nullable(),
});
export type KernelSymbol = z.infer<typeof symbolSchema>;

/** `code` as it stands in an editor; `cursor` counts UTF-16 code units, as editors and JavaScript do. */
export const codeAtCursorSchema = z
  .strictObject({ code: text(1_048_576), cursor: z.number().int().min(0) })
  .refine(({ code, cursor }) => cursor <= code.length, { message: 'lies behind the code', path: ['cursor'] })
  .meta({ id: 'CodeAtCursor' });
export type CodeAtCursor = z.infer<typeof codeAtCursorSchema>;

/** What could stand between `start` and `end`, best first. */
export const completionsSchema = z
  .object({
    matches: z.array(z.object({ text: z.string().max(512), kind: z.string().max(32).nullable() })).max(1000),
    start: z.number().int().min(0),
    end: z.number().int().min(0),
  })
  .meta({ id: 'Completions' });
export type Completions = z.infer<typeof completionsSchema>;

/** What is known of the name at the cursor: a MIME bundle, `text/plain` at least; empty where nothing is found. */
export const inspectionSchema = z
  .object({ found: z.boolean(), data: z.record(z.string().max(256), z.string().max(1_048_576)) })
  .meta({ id: 'Inspection' });
export type Inspection = z.infer<typeof inspectionSchema>;

/** Output that came after its step had ended, from its threads, tasks and child processes; `stepId` is null where it is not known. */
export const backgroundOutputSchema = z
  .object({
    seq: z.number().int().min(1),
    time: z.iso.datetime(),
    stepId: stepIdSchema.nullable(),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
  })
  .meta({ id: 'BackgroundOutput' });
export type BackgroundOutput = z.infer<typeof backgroundOutputSchema>;

/** The last of it, at most 256 KiB for each context; `droppedBytes` counts what is no longer there. */
export const backgroundPageSchema = z
  .object({ items: z.array(backgroundOutputSchema).max(10_000), droppedBytes: z.number().int().min(0) })
  .meta({ id: 'BackgroundPage' });
export type BackgroundPage = z.infer<typeof backgroundPageSchema>;

/** `GET /v1/sessions/{sessionId}/context`: default contexts come first, by name, then the others from the oldest to the newest. */
export const sessionContextSchema = z
  .object({
    contexts: z
      .array(
        z.object({
          contextId: contextIdSchema,
          language: languageSchema,
          combinedCode: z.string().meta({
            description: "The code of the context's succeeded steps since its last reset, in execution order",
          }),
        }),
      )
      .meta({ description: 'One entry per live context, so code of different languages is never mixed' }),
    symbols: z
      .array(symbolSchema.extend({ contextId: contextIdSchema, actor: actorSchema.nullable() }))
      .meta({ description: 'The names that the contexts define, with the step and the actor that defined them' }),
  })
  .meta({ id: 'SessionContext' });
export type SessionContext = z.infer<typeof sessionContextSchema>;
