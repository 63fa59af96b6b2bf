import * as z from 'zod';
import { artifactSchema } from './artifact.ts';
import { environmentSchema } from './environment.ts';
import { contextIdSchema, sessionIdSchema, stepIdSchema } from './ids.ts';
import { int4, int4Max } from './int4.ts';
import { jobResultSchema } from './job.ts';
import { codeLanguageSchema, languageSchema } from './languages.ts';
import { storable, text } from './text.ts';

export const stepStatuses = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'interrupted',
  'lost',
  'rejected',
] as const;
export type StepStatus = (typeof stepStatuses)[number];

export const actorSchema = z.enum(['agent', 'user']);
export type Actor = z.infer<typeof actorSchema>;

export const runStepSchema = z
  .strictObject({
    code: text(2_097_152),
    contextId: contextIdSchema.optional(),
    language: languageSchema.optional().meta({ description: "Runs in this language's default context" }),
    actor: actorSchema.default('agent'),
    timeoutSeconds: z
      .number()
      .positive()
      .max(86_400)
      .optional()
      .meta({ description: 'Counts from the start, not from the queue' }),
    env: environmentSchema.optional().meta({ description: 'Environment variables for this step alone' }),
    stdin: z.boolean().default(false).meta({
      description: 'Whether the code may ask for input, which `POST …/stdin` then gives; else asking fails at once',
    }),
    queue: z.enum(['wait', 'reject']).default('wait').meta({ description: 'What to do while the context is busy' }),
    onDisconnect: z.enum(['continue', 'interrupt']).default('continue'),
    ifContextEpoch: z
      .number()
      .int()
      .min(1)
      .optional()
      .meta({ description: '409 state-reset where the context is in another epoch' }),
  })
  .refine((step) => !(step.contextId && step.language), {
    message: 'goes with contextId or language, not both',
    path: ['language'],
  })
  .meta({ id: 'RunStep' });
export type RunStep = z.infer<typeof runStepSchema>;

/** `POST …/steps/{stepId}/stdin`: a line of input without its end, or null for the end of input. */
export const stdinSchema = z.strictObject({ text: text(1_048_576).nullable() }).meta({ id: 'Stdin' });
export type Stdin = z.infer<typeof stdinSchema>;

/** Any JSON value; the types are named because a recursive schema has no finite OpenAPI form. */
const json = z.json().meta({ type: ['string', 'number', 'boolean', 'null', 'array', 'object'] });

/** A MIME bundle as in Jupyter's messaging: text as text, binary types as base64, JSON types as JSON. */
export const resultSchema = z
  .object({
    data: z.record(z.string().max(256), json),
    metadata: z.record(z.string(), json),
    isMain: z.boolean().meta({ description: "The value of the step's last expression" }),
  })
  .meta({ id: 'Result' });

export const stepErrorSchema = z.object({ name: z.string(), message: z.string(), traceback: z.array(z.string()) });

export const outcomeSchema = z.discriminatedUnion('tag', [
  z.object({ tag: z.literal('ok') }),
  z.object({
    tag: z.literal('needs'),
    what: z.literal('stdin'),
    prompt: z.string(),
    password: z.boolean().meta({ description: 'What is typed is not to be shown' }),
  }),
  z.object({
    tag: z.literal('error'),
    kind: z.enum(['runtime-error']),
    stateSurvived: z.boolean().meta({ description: 'Whether what earlier steps defined is still there' }),
  }),
]);

/** How a sandbox may end that nobody here has ended: end reasons of a session, and causes of the steps that were lost with it. */
export const sandboxEnds = [
  'sandbox_lost',
  'sandbox_exited',
  'oom_killed',
  'evicted',
  'node_lost',
  'deleted_by_operator',
] as const;

/** Why a step ended other than by its own code. */
export const causes = [
  'timeout',
  'interrupt',
  'context_restarted',
  'context_deleted',
  'session_ended',
  'kernel_exited',
  'kernel_killed',
  'process_exited',
  'never_started',
  'overran',
  ...sandboxEnds,
] as const;

export const causeSchema = z.object({
  code: z.enum(causes),
  message: z
    .string()
    .max(2048)
    .overwrite((value) => storable(value))
    .optional(),
  exitCode: int4(-int4Max).optional(),
  signal: z
    .string()
    .regex(/^SIG[A-Z0-9+]{1,12}$/)
    .optional(),
});

export const stepSchema = z
  .object({
    id: stepIdSchema,
    sessionId: sessionIdSchema,
    contextId: contextIdSchema.nullable().meta({ description: 'null for a job, which has a process of its own' }),
    number: z.number().int().nullable().meta({ description: 'Order of admission in the session' }),
    epoch: z.number().int(),
    contextEpoch: z.number().int().nullable(),
    actor: actorSchema,
    language: codeLanguageSchema,
    code: z.string(),
    status: z.enum(stepStatuses),
    outcome: outcomeSchema.nullable(),
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean(),
    results: z.array(resultSchema),
    error: stepErrorSchema.nullable(),
    cause: causeSchema.nullable(),
    artifacts: z.array(artifactSchema).meta({ description: 'What it created, changed and deleted in the workspace' }),
    job: jobResultSchema.nullable().meta({ description: 'What only a job has' }),
    executionCount: z.number().int().nullable().meta({ description: "Order of execution in the context's kernel" }),
    queuedAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    finishedAt: z.iso.datetime().nullable(),
    durationMs: z.number().nullable(),
  })
  .meta({ id: 'Step' });

export type Result = z.infer<typeof resultSchema>;
export type StepError = z.infer<typeof stepErrorSchema>;
export type Outcome = z.infer<typeof outcomeSchema>;
export type Cause = z.infer<typeof causeSchema>;
export type Step = z.infer<typeof stepSchema>;
