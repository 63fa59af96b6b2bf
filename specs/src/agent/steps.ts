import * as z from 'zod';
import { commMessageSchema } from '../public/comm.ts';
import { eventContent } from '../public/event.ts';
import { operationArgumentsBytesMax, operationNameSchema } from '../public/operation.ts';
import { environmentSchema } from '../public/values/environment.ts';
import { contextIdSchema, jobIdSchema, stepIdSchema } from '../public/values/ids.ts';
import { jobLanguageSchema, languageSchema } from '../public/values/languages.ts';
import { programLimitsSchema } from '../public/values/resources.ts';
import { expressionsSchema, json } from '../public/values/result.ts';
import { int4 } from '../public/values/storable.ts';
import { filePathSchema } from '../public/values/workspace-path.ts';

/** Steps whose ends are recorded, so the agent can drop their results. */
const acks = z.array(stepIdSchema).max(10_000);

/** The header of `POST /v1/steps` that says that a client wants the frames as they come. Without it the first ones may wait for the rest for some 20 ms. */
export const watchedHeader = 'holdfast-watched';

/**
 * `POST /v1/steps` answers 200 with frames (see frames.ts). It answers a problem if the step does not start: 409 `step-repeated`,
 * `context-busy`, `state-reset`; 410 `session-ended` (the sandbox is fenced) or `context-deleted`; 429; 503 `results-unacknowledged`.
 */
export const agentStepSchema = z.strictObject({
  stepId: stepIdSchema,
  contextId: contextIdSchema,
  language: languageSchema
    .optional()
    .meta({ description: 'Creates the default context of this language if it does not exist yet' }),
  code: z.string(),
  comm: commMessageSchema
    .optional()
    .meta({ description: 'A message for the kernel, which handles it instead of code' }),
  timeoutMs: z.number().int().min(1),
  env: environmentSchema.optional(),
  stdin: z.boolean().optional(),
  replay: z.boolean().optional().meta({ description: 'Whether a recovery may run the whole step again' }),
  queue: z.enum(['wait', 'reject']),
  onError: z
    .literal('drop-queue')
    .optional()
    .meta({ description: 'Rejects the steps that wait behind this one unless it succeeds' }),
  silent: z
    .boolean()
    .optional()
    .meta({ description: 'Whether it leaves no trace in the counts and histories of the kernel' }),
  expressions: expressionsSchema
    .optional()
    .meta({ description: 'Evaluated after the code, if it succeeds. 422 `unsupported-by-runtime` in bash' }),
  ifContextEpoch: z.number().int().min(1).optional(),
  acks: acks.optional(),
});
export type AgentStep = z.infer<typeof agentStepSchema>;

/**
 * `POST /v1/jobs` runs a program once, in a new process that starts in the workspace. It answers as `POST /v1/steps` does,
 * and every operation on a step accepts the job's id. 422 `unsupported-by-runtime` if the language is not installed.
 */
export const agentJobSchema = z.strictObject({
  jobId: jobIdSchema,
  language: jobLanguageSchema,
  filename: filePathSchema,
  code: z.string().optional().meta({
    description:
      'The program, which the agent keeps outside the workspace for the time of the job; without it, the file is in the workspace',
  }),
  limits: programLimitsSchema.optional(),
  args: z.array(z.string()).max(256),
  env: environmentSchema.optional(),
  stdin: z.string(),
  timeoutMs: z.number().int().min(1),
  acks: acks.optional(),
});
export type AgentJob = z.infer<typeof agentJobSchema>;

const stateSchema = z.enum(['queued', 'running', 'finished']);

export const listedStepSchema = z.object({ stepId: stepIdSchema, state: stateSchema });

export const listedStepsMax = 10_000;
/** `GET /v1/steps`: the steps that are not acknowledged, or the oldest of them if they are very many. */
export const agentStepsSchema = z.object({ steps: z.array(listedStepSchema).max(listedStepsMax) });

/**
 * `POST /v1/steps/{stepId}/attach`: the step's frames with seq > `after`, then the following ones. 404 if the step was never
 * started, 409 `step-repeated` if it was and its end has been acknowledged. With `burn` an unknown id counts as used from then on, so a
 * late request to run it gets 409 `step-repeated`, and every later attempt to attach 404.
 */
export const attachSchema = z.strictObject({
  after: z.number().int().min(0),
  burn: z.boolean().default(false).meta({ description: 'Marks an unknown id as used' }),
});

/** `POST /v1/steps/{stepId}/interrupt`: the state of the step when the interrupt arrived. */
export const interruptedSchema = z.object({ state: stateSchema });

/** `POST /v1/steps/{stepId}/stdin` takes `stdinSchema` and answers 204, or 409 `stdin-closed` if the step accepts no input or has ended. */

/**
 * `GET /v1/steps/{stepId}/stdin`: the input that the step waits for, null if it does not wait. The wait is over as soon as a
 * `POST` with the input is accepted. 404 if the id is unknown.
 */
export const inputWaitSchema = z.object({ request: eventContent.input_request.nullable() });
export type InputWait = z.infer<typeof inputWaitSchema>;

/** Calls of one step: that wait at a time, in all, and the bytes of their arguments in all. Beyond these, the code gets an error. */
export const callsWaitingMax = 64;
export const callsMax = 10_000;
export const callBytesMax = 16 * 1024 * 1024;

/** An `operation_request` frame from an agent: `holdfast.call(name, *arguments)` in the code. `call` counts up from 1 within the step. */
export const operationCallSchema = z.object({
  call: int4(1).max(callsMax),
  name: operationNameSchema,
  arguments: z
    .string()
    .max(operationArgumentsBytesMax)
    .meta({ description: 'A JSON array as text, so that reading a frame costs little' }),
});
export type OperationCall = z.infer<typeof operationCallSchema>;

/** `POST /v1/steps/{stepId}/operations/{call}`: 204 if the call has its answer, from now or from before, or waits no longer. */
export const operationAnswerSchema = z.union([
  z.strictObject({ value: json }),
  z.strictObject({
    error: z.strictObject({
      name: z.string(),
      message: z.string(),
      rule: z.string().optional().meta({ description: 'The rule of the policy that forbids the call' }),
    }),
  }),
]);
export type OperationAnswer = z.infer<typeof operationAnswerSchema>;

/**
 * `GET /v1/steps/{stepId}/output/{stdout|stderr}`: the output of the step on this stream, as bytes. The header `holdfast-output` says
 * `whole`, or `beginning` if the agent stored only the beginning. 404 if the agent stored no more than the step's frames hold.
 */

/** `POST /v1/acks` */
export const acksSchema = z.strictObject({ stepIds: acks });
