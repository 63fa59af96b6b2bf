import * as z from 'zod';
import { sentSignals, startProcessSchema } from '../public/process.ts';
import { environmentSchema } from '../public/values/environment.ts';
import { processIdSchema } from '../public/values/ids.ts';
import { text } from '../public/values/storable.ts';
import { processDoneSchema } from './process-frames.ts';

/** Processes whose ends are recorded. The agent keeps their output for as long as it has room for it. */
const acks = z.array(processIdSchema).max(10_000);

const position = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** How the frames of a process are followed. */
const following = {
  output: z.enum(['all', 'ends']).default('all').meta({
    description:
      '`ends`: `started` comes at once and everything else when the process has ended: the first and the last 32 KiB of the output with `truncated` between them, `changes` and `done`',
  }),
  paced: z.boolean().default(false).meta({
    description:
      'The process waits for this reader: while it is more than 256 KiB behind, the output of the process is not read. A reader that takes nothing for 30 seconds is no longer waited for',
  }),
};

/**
 * `POST /v1/processes` answers 200 with the frames of the process (see process-frames.ts), which go on until its end. It answers a problem if the
 * process does not start: 400 `invalid-request` if `cwd` is not a directory, 403 `policy-denied`, 409 `step-repeated`, `policy-changed` or
 * `session-paused`, 410 `session-ended`, 422 `command-not-started` (no such program, not executable, too long) or `unsupported-by-runtime`
 * (terminals, or limits without Python), 429 `quota-exceeded` (too many run), 503 `results-unacknowledged`. The id of a process that did not start stays free. A closed
 * stream does not end the process.
 */
export const agentProcessSchema = z.strictObject({
  processId: processIdSchema,
  command: startProcessSchema.shape.command,
  cwd: text(4096).min(1).optional().meta({ description: 'Absolute, or relative to the workspace' }),
  env: environmentSchema.optional().meta({ description: "Added to the session's" }),
  stdin: startProcessSchema.shape.stdin,
  stderr: startProcessSchema.shape.stderr,
  terminal: startProcessSchema.shape.terminal,
  timeoutMs: z.number().int().min(1).optional(),
  limits: startProcessSchema.shape.limits,
  collectChanges: z.boolean().meta({ description: 'Whether `changes` in the workspace are collected at the end' }),
  acks: acks.optional(),
  ...following,
});
export type AgentProcess = z.infer<typeof agentProcessSchema>;

/** `GET /v1/processes/{processId}`. `position` is the end of the log so far, and `kept` the first position from which all of it is there. */
export const agentProcessStateSchema = z.object({
  processId: processIdSchema,
  state: z.enum(['starting', 'running', 'ended']),
  pid: z.number().int().nullable(),
  position,
  kept: position,
  stdoutBytes: position,
  stderrBytes: position,
  stdinBytes: position.meta({ description: 'The bytes of input that were accepted' }),
  stdinEnded: z.boolean(),
  done: processDoneSchema.nullable(),
});
export type AgentProcessState = z.infer<typeof agentProcessStateSchema>;

export const listedProcessesMax = 10_000;
/** `GET /v1/processes`: those that run or whose ends are not acknowledged, oldest first. */
export const agentProcessesSchema = z.object({ processes: z.array(agentProcessStateSchema).max(listedProcessesMax) });

/**
 * `POST /v1/processes/{processId}/attach`: the frames behind the position `after`, then the following ones. 404 if the process was never
 * started, 409 `step-repeated` if its output is gone. With `burn` an unknown id counts as used from then on, as for steps.
 */
export const attachProcessSchema = z.strictObject({
  after: position,
  burn: z.boolean().default(false),
  ...following,
});

/**
 * `GET /v1/processes/{processId}/output/{stdout|stderr}?offset=`: bytes of one stream that are there now, from `offset` on or, if the agent
 * no longer has that byte, from the next one that it has. They come without a gap; the header `holdfast-offset` says where they begin. 404
 * if the process is unknown or its output is gone.
 */
export const outputOffsetHeader = 'holdfast-offset';
export const processOutputQuerySchema = z.strictObject({ offset: z.coerce.number().pipe(position).default(0) });

/**
 * `POST /v1/processes/{processId}/stdin?offset=&end=` takes at most `stdinBytesMax` raw bytes, and answers when the process has room for them, or
 * after 10 seconds. `bytes` in the answer counts all input accepted so far, and `taken` the bytes of the body among them. `offset` says which byte of the input the body begins with, so that bytes which were accepted before are skipped and a request can be repeated;
 * 400 if the input has not come so far. `end` closes the input behind the body, and is not done if a part was not accepted. In a terminal it is the end
 * character. 409 `stdin-closed` if the process takes no input, or no more.
 */
export const processStdinQuerySchema = z.strictObject({
  offset: z.coerce.number().pipe(position).optional(),
  end: z.enum(['true', 'false']).default('false'),
});
export const stdinBytesMax = 1024 * 1024;
export const processStdinSchema = z.object({ bytes: position, taken: position.optional(), ended: z.boolean() });

/**
 * `POST /v1/processes/{processId}/signal`: 204. The signal goes to the process's group, SIGKILL to all processes below it. 409 `process-ended`.
 */
export const agentSignalSchema = z.strictObject({ signal: z.enum(sentSignals) });

/** `PUT /v1/processes/{processId}/terminal` takes `terminalSizeSchema`: 204. 409 `process-ended` or `no-terminal`. */

/** `POST /v1/processes/acks`: 204. */
export const processAcksSchema = z.strictObject({ processIds: acks });

/**
 * `DELETE /v1/processes?cause=` kills all processes and what they left behind, and answers 204 when they have ended; `POST /v1/fence` does the same, and
 * so does a policy that forbids shell commands, with the cause `policy_changed`. A hold stops none of them: to save a session in which nothing
 * changes any more, end them first.
 */
export const endProcessesQuerySchema = z.strictObject({
  cause: z.enum(['session_ended', 'session_paused']).default('session_ended'),
});
