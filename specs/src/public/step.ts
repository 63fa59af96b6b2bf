import * as z from 'zod';
import { artifactSchema } from './artifact.ts';
import { jobResultSchema } from './job.ts';
import { stepProposalSchema } from './proposal.ts';
import { budgetRemainingSchema } from './values/budget.ts';
import { causeSchema } from './values/cause.ts';
import { contextIdSchema, operationIdSchema, sessionIdSchema, stepIdSchema } from './values/ids.ts';
import { codeLanguageSchema } from './values/languages.ts';
import { resourceUsageSchema } from './values/resources.ts';
import { expressionResultSchema, json, resultSchema, stepErrorSchema } from './values/result.ts';
import { int4, int4Max, text } from './values/storable.ts';

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

/** The name of an actor among people. It is shown and never interpreted. */
export const actorNameSchema = text(128).min(1);

export const exitCodeSchema = int4(-int4Max).meta({
  description:
    'The exit status of a step of bash; in other languages the code with which the step exited, if its code called `exit` or the like. The state of its context stays',
});

export const hiddenInput = z.boolean().meta({ description: 'Whether to hide the input while it is typed' });

const refusedChangesSchema = z.object({
  count: z.number().int().min(1).meta({ description: 'The number of files and directories' }),
  rules: z
    .array(z.string())
    .meta({ description: 'The rules of the policy that forbid them', example: ['world.readOnly'] }),
});
export type RefusedChanges = z.infer<typeof refusedChangesSchema>;

const refusedChanges = {
  refusedChanges: refusedChangesSchema.optional().meta({
    description:
      'Changes in the workspace that rules of the policy forbid: they were put back after the code had run. `artifacts` lists the files',
  }),
};

export const outcomeSchema = z.discriminatedUnion('tag', [
  z.object({ tag: z.literal('ok'), ...refusedChanges }),
  z.object({ tag: z.literal('proposed'), ...refusedChanges }),
  z.discriminatedUnion('what', [
    z.object({ tag: z.literal('needs'), what: z.literal('stdin'), prompt: z.string(), password: hiddenInput }),
    z.object({
      tag: z.literal('needs'),
      what: z.literal('operation'),
      operationId: operationIdSchema,
      stepId: stepIdSchema.meta({ description: 'The step that waits: this one, or one that it runs by `eval`' }),
      name: z.string(),
      arguments: z.array(json),
    }),
  ]),
  z.object({
    tag: z.literal('error'),
    kind: z.enum(['runtime-error', 'policy-violation', 'budget']).meta({
      description:
        '`budget`: the step was refused because of the budget, or it was stopped when the time of the budget was over',
    }),
    stateSurvived: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the definitions of earlier steps still exist; null for a job, which has none' }),
    ...refusedChanges,
  }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;

export const stepSchema = z
  .object({
    id: stepIdSchema,
    sessionId: sessionIdSchema,
    contextId: contextIdSchema.nullable().meta({ description: 'null for a job, which runs in its own process' }),
    number: z.number().int().nullable().meta({
      description:
        'Order of admission in the session. It only rises; a step that did not start, or is silent, may leave a gap',
    }),
    epoch: z.number().int(),
    contextEpoch: z.number().int().nullable(),
    parentStepId: stepIdSchema.optional().meta({ description: 'The step whose code runs this one by `eval`' }),
    actor: actorSchema,
    actorName: actorNameSchema.nullable().meta({ description: 'The name of the actor among people' }),
    language: codeLanguageSchema,
    code: z.string(),
    record: z
      .literal('silent')
      .optional()
      .meta({ description: 'The step is not in the history of the session; see `RunStep`' }),
    status: z.enum(stepStatuses),
    outcome: outcomeSchema.nullable(),
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean().meta({
      description:
        'Whether a part of stdout, of stderr or of the results is missing. The events `truncated` say at which place and how many bytes',
    }),
    results: z.array(resultSchema),
    expressions: z.record(z.string(), expressionResultSchema).optional().meta({
      description:
        'The values of the expressions that the request has named. Those of a step that did not succeed have none',
    }),
    error: stepErrorSchema.nullable().meta({
      description:
        'The last error of the code. The status says whether the step failed: code may show an error that it has caught',
    }),
    exitCode: exitCodeSchema.optional(),
    cause: causeSchema.nullable(),
    artifacts: z
      .array(artifactSchema)
      .meta({ description: 'The files that the step created, changed or deleted in the workspace' }),
    proposals: z.array(stepProposalSchema).meta({
      description: 'The changes of the step that wait for the host. `outcome` is then `proposed` if the step succeeded',
    }),
    operations: z.array(z.object({ operationId: operationIdSchema, name: z.string() })).meta({
      description:
        'The operations that the code called and the host answers, in order, without those that the policy denies',
    }),
    job: jobResultSchema.nullable().meta({ description: 'null unless the step is a job' }),
    executionCount: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Order of execution in the context's kernel; null for a job or a silent step" }),
    queuedAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    finishedAt: z.iso.datetime().nullable(),
    durationMs: z.number().nullable(),
    usage: resourceUsageSchema.nullable().meta({
      description:
        'CPU time of the step, and of its context since the step before; null if the sandbox did not report it',
    }),
    tokensUsed: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'The tokens that the host has reported with its answers to `operations`; null: none' }),
    budgetRemaining: budgetRemainingSchema.nullable().meta({
      description:
        'The rest of the budget at the end of the step, or at its beginning while it runs; null without a budget',
    }),
  })
  .meta({ id: 'Step' });
export type Step = z.infer<typeof stepSchema>;
