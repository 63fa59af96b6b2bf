import * as z from 'zod';
import { actorNameSchema, actorSchema } from './step.ts';
import { environmentSchema } from './values/environment.ts';
import { contextIdSchema } from './values/ids.ts';
import { languageSchema } from './values/languages.ts';
import { expressionsSchema } from './values/result.ts';
import { text } from './values/storable.ts';
import { waitSchema } from './values/waiting.ts';

/** `POST /v1/sessions/{sessionId}/steps`. */
export const runStepSchema = z
  .strictObject({
    code: text(2_097_152),
    contextId: contextIdSchema.optional(),
    language: languageSchema.optional().meta({ description: 'Runs the code in the default context of this language' }),
    actor: actorSchema.default('agent').meta({
      description: 'The one that asks for the step. If the API key stands for an actor, the step has that one',
    }),
    actorName: actorNameSchema
      .optional()
      .meta({ description: 'The name of the actor among people. A name that the API key has takes precedence' }),
    timeoutSeconds: z
      .number()
      .positive()
      .max(86_400)
      .optional()
      .meta({ description: 'Counted from the start of the step; time in the queue does not count' }),
    env: environmentSchema.optional().meta({ description: 'Environment variables for this step only' }),
    stdin: z.boolean().default(false).meta({
      description:
        'Whether the code can ask for input, which `POST …/stdin` then provides. If false, asking for input fails at once',
    }),
    record: z.enum(['full', 'silent']).optional().meta({
      description:
        'With `silent`, the step has no execution count and is neither in the history of the session, `GET …/context` and exports, nor in histories of its language such as `In`, `Out` and `_`; a recovery never runs it again. It is audited and charged, and can be read by its id. Default: `full`',
    }),
    expressions: expressionsSchema.optional().meta({
      description:
        'At most 32 expressions by name, which the context evaluates after the code if that succeeds, in the order of the request; names that are whole numbers come first, by size. Their values, of 1 MiB in all, are in `expressions` of the step; an error of one is its value and does not fail the step. 422 `unsupported-by-runtime` for a shell',
    }),
    wait: waitSchema,
    queue: z
      .enum(['wait', 'reject'])
      .default('wait')
      .meta({ description: 'Whether to wait or to answer 409 `context-busy` if the context is running another step' }),
    onError: z.enum(['continue', 'drop-queue']).optional().meta({
      description:
        'With `drop-queue`, the steps that wait behind this one in its context are rejected with the cause `earlier_step_failed` if it ends in any way but `succeeded`. Default: `continue`',
    }),
    onDisconnect: z.enum(['continue', 'interrupt']).default('continue').meta({
      description:
        'Whether the step continues or is interrupted if the client disconnects before it has the whole answer. With `wait: false` that is the 202: leaving later interrupts nothing',
    }),
    replay: z.boolean().optional().meta({
      description:
        'Whether a recovery may run the whole step again. Without it, only its imports and the definitions of functions and classes run again',
    }),
    resume: z.boolean().optional().meta({ description: 'Resumes the session first if it is paused' }),
    ifContextEpoch: z
      .number()
      .int()
      .min(1)
      .optional()
      .meta({ description: 'Runs the step only if the context is in this epoch; answers 409 `state-reset` if not' }),
  })
  .refine((step) => !(step.contextId && step.language), {
    message: 'must not be given together with contextId',
    path: ['language'],
  })
  .meta({ id: 'RunStep' });
export type RunStep = z.infer<typeof runStepSchema>;

/** `POST …/steps/{stepId}/interrupt` */
export const interruptSchema = z
  .strictObject({
    actor: actorSchema
      .optional()
      .meta({ description: 'The one that interrupts the step, for the audit log; default: the host' }),
    actorName: actorNameSchema.optional(),
  })
  .meta({ id: 'Interrupt' });
export type Interrupt = z.infer<typeof interruptSchema>;

/** `POST …/steps/{stepId}/stdin`: a line of input without its line end, or null for the end of input. */
export const stdinSchema = z.strictObject({ text: text(1_048_576).nullable() }).meta({ id: 'Stdin' });
export type Stdin = z.infer<typeof stdinSchema>;
