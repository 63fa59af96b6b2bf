import * as z from 'zod';
import { createContextSchema, symbolSchema } from '../public/context.ts';
import { environmentSchema } from '../public/environment.ts';
import { eventContent } from '../public/event.ts';
import { filePathSchema } from '../public/file.ts';
import { contextIdSchema, jobIdSchema, sessionIdSchema, stepIdSchema } from '../public/ids.ts';
import { jobLanguageSchema, languageSchema } from '../public/languages.ts';

/**
 * The session-agent's HTTP API. Every route but `GET /healthz` and `POST /v1/proof` demands the session's token.
 * Errors are problems, as in the public API.
 */
const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/);

/** `POST /v1/proof`: the agent signs `proofText(uid, nonce)` with Ed25519 (RFC 8032). The key is its 32 raw bytes. */
export const proofRequestSchema = z.strictObject({ nonce: base64url.length(43) });
export const proofSchema = z.object({
  uid: z.string().max(128),
  publicKey: base64url.length(43),
  signature: base64url.length(86),
});
export type Proof = z.infer<typeof proofSchema>;

/** `PUT /v1/session`: tells the sandbox what its session is like; the same again is no error. Starts the default context's kernel. */
export const bindSchema = z.strictObject({
  language: languageSchema,
  env: environmentSchema,
  prestart: z.boolean().default(true).meta({ description: "Whether the default context's kernel starts at once" }),
});
export type Bind = z.infer<typeof bindSchema>;

/** `GET /v1/session`: what the sandbox is. */
export const agentStatusSchema = z.object({
  uid: z.string().max(128),
  sessionId: sessionIdSchema.nullable(),
  epoch: z.number().int().nullable(),
  fenced: z.boolean(),
});

const acks = z.array(stepIdSchema).max(10_000);

/**
 * `POST /v1/steps` answers 200 with frames (see frames.ts), or a problem where the step does not start: 409 `step-repeated`
 * (the id was used before), `context-busy`, `state-reset`; 410 `session-ended` (fenced) or `context-deleted`; 429; 503
 * `results-unacknowledged`. `acks` are steps whose ends are recorded: the agent forgets their results.
 */
export const agentStepSchema = z.strictObject({
  stepId: stepIdSchema,
  contextId: contextIdSchema,
  language: languageSchema
    .optional()
    .meta({ description: 'Makes the default context of this language where it does not exist yet' }),
  code: z.string(),
  timeoutMs: z.number().int().min(1),
  env: environmentSchema.optional(),
  stdin: z.boolean().optional(),
  queue: z.enum(['wait', 'reject']),
  ifContextEpoch: z.number().int().min(1).optional(),
  acks: acks.optional(),
});
export type AgentStep = z.infer<typeof agentStepSchema>;

/**
 * `POST /v1/jobs` runs a file of the workspace once, in a process of its own whose working directory the workspace is. It answers as
 * `POST /v1/steps` does, and with the job's id every route of a step serves it, too. 422 `unsupported-by-runtime` where the language is
 * not installed.
 */
export const agentJobSchema = z.strictObject({
  jobId: jobIdSchema,
  language: jobLanguageSchema,
  filename: filePathSchema,
  args: z.array(z.string()).max(256),
  env: environmentSchema.optional(),
  stdin: z.string(),
  timeoutMs: z.number().int().min(1),
  acks: acks.optional(),
});
export type AgentJob = z.infer<typeof agentJobSchema>;

/** `GET /v1/steps`: the steps that are not acknowledged. */
export const agentStepsSchema = z.object({
  steps: z.array(z.object({ stepId: stepIdSchema, state: z.enum(['queued', 'running', 'finished']) })).max(100_000),
});

/**
 * `POST /v1/steps/{stepId}/attach`: the step's frames with seq > `after`, then what follows. 404 where the id was never seen;
 * with `burn` it is used up from then on, so that a late request to run it gets 409 `step-repeated`. Only who adopts the step
 * asks for that: a caller whose own request to run it may still be on its way does not.
 */
export const attachSchema = z.strictObject({
  after: z.number().int().min(0),
  burn: z.boolean().default(false).meta({ description: 'Uses the id up where it was never seen' }),
});

/** `POST /v1/steps/{stepId}/interrupt`: `state` is what the step was when the interrupt came. */
export const interruptedSchema = z.object({ state: z.enum(['queued', 'running', 'finished']) });

/** `POST /v1/steps/{stepId}/stdin` takes `stdinSchema` and answers 204; 409 `stdin-closed` where the step takes no input or has ended. */

/**
 * `GET /v1/steps/{stepId}/stdin`: what the step asks for and nobody has answered yet, null where it does not wait. It is over once
 * the `POST` that answers it has been accepted. 404 where the id was never seen.
 */
export const inputWaitSchema = z.object({ request: eventContent.input_request.nullable() });
export type InputWait = z.infer<typeof inputWaitSchema>;

/**
 * `GET /v1/steps/{stepId}/output/{stdout|stderr}`: all that the step wrote there, as bytes, as far as the agent keeps it: the header
 * `holdfast-output` says `whole` or `beginning`. 404 where no more is kept than the step's frames have.
 */

/** `POST /v1/acks` */
export const acksSchema = z.strictObject({ stepIds: acks });

/** `POST /v1/fence`: no step starts any more; queued and running ones are interrupted. Answers 204 when none is left. */

/** `POST /v1/contexts` */
export const agentCreateContextSchema = createContextSchema.extend({ contextId: contextIdSchema });

export const agentContextSchema = z.object({
  contextId: contextIdSchema,
  language: languageSchema,
  contextEpoch: z.number().int().min(1),
  state: z.enum(['starting', 'idle', 'busy', 'dead']),
  cwd: z.string().max(8192),
});
export type AgentContext = z.infer<typeof agentContextSchema>;

/** `GET /v1/contexts` */
export const agentContextsSchema = z.object({ contexts: z.array(agentContextSchema).max(64) });

/**
 * `POST /v1/contexts/{contextId}/complete` and `…/inspect` take `codeAtCursorSchema` and answer `completionsSchema` and
 * `inspectionSchema`; 409 `context-busy` while the context runs a step. `GET /v1/contexts/{contextId}/background?after=SEQ`
 * answers `backgroundPageSchema`.
 */

/** `GET /v1/contexts/{contextId}/symbols`: `stale` where the context was too busy to be asked. */
export const agentSymbolsSchema = z.object({
  contextEpoch: z.number().int().min(1),
  stale: z.boolean(),
  symbols: z.array(symbolSchema).max(100_000),
});
