import * as z from 'zod';
import { type CommMessage, commMessageSchema } from '../public/comm.ts';
import { completionsSchema, inspectionSchema, parsedCodeSchema } from '../public/editor.ts';
import { eventContent } from '../public/event.ts';
import { symbolSchema } from '../public/session-context.ts';
import { recoveryReportSchema } from '../public/state.ts';
import { exitCodeSchema } from '../public/step.ts';
import { stepIdSchema } from '../public/values/ids.ts';
import { type Expressions, resultSchema, resultUpdateSchema, stepErrorSchema } from '../public/values/result.ts';
import { int4Max } from '../public/values/storable.ts';

/** A session-agent and a kernel exchange messages on fd 3: four bytes of length (big-endian), then JSON. */
export const kernelMessageBytesMax = 16 * 1024 * 1024;

const requestId = z.number().int().min(1);

/**
 * Messages from the agent to a kernel. `nonce` is 32 hexadecimal characters. `number` identifies the step on the interrupt channel
 * (fd 4). With `comm` the step has no code and handles a message of a front end. `env` applies to this step only. With `stdin` the code can ask for input. `streams` is a folder with the FIFOs `1` and `2`,
 * which replace fds 1, 2, 5 and 6 from this step on; it is present if the step before reported `late`. `interrupt` accompanies SIGINT
 * for kernels that ask for it and names the step to interrupt. `cursor` counts Unicode characters. `path` names a FIFO for the archive of a
 * snapshot, `folder` the files of a recovery.
 */
export type KernelRequest =
  | {
      type: 'execute';
      stepId: string;
      number: number;
      code: string;
      comm?: CommMessage;
      nonce: string;
      env?: Record<string, string>;
      stdin?: boolean;
      /** Present if the step is to leave no trace in histories and counts. Its `number` is far above those of other steps. */
      silent?: true;
      expressions?: Expressions;
      streams?: string;
    }
  | { type: 'input'; stepId: string; text: string | null }
  | { type: 'interrupt'; number: number }
  | { type: 'symbols'; id: number }
  | { type: 'complete'; id: number; code: string; cursor: number }
  | { type: 'inspect'; id: number; code: string; cursor: number }
  | { type: 'parse'; id: number; code: string }
  | { type: 'snapshot'; id: number; path: string; bytesMax: number; timeoutMs: number }
  | { type: 'recover'; id: number; folder: string; timeoutMs: number };

/** Messages from a kernel to the agent. */
export const kernelMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), version: z.string().max(256) }),
  z.object({
    type: z.literal('begun'),
    number: z
      .number()
      .int()
      .min(0)
      .meta({ description: 'The step whose code begins; sent by kernels with a line protocol' }),
  }),
  z.object({ type: z.literal('result'), stepId: stepIdSchema, ...resultSchema.shape }),
  z.object({ type: z.literal('result_update'), stepId: stepIdSchema, ...resultUpdateSchema.shape }),
  z.object({ type: z.literal('expression'), stepId: stepIdSchema, ...eventContent.expression.shape }),
  z.object({ type: z.literal('error'), stepId: stepIdSchema, ...stepErrorSchema.shape }),
  z.object({ type: z.literal('comm'), stepId: stepIdSchema, ...commMessageSchema.shape }),
  z.object({ type: z.literal('output_cleared'), stepId: stepIdSchema, ...eventContent.output_cleared.shape }),
  z.object({ type: z.literal('input_request'), stepId: stepIdSchema, ...eventContent.input_request.shape }),
  z.object({
    type: z.literal('background'),
    stepId: stepIdSchema.meta({ description: 'The step whose thread or task wrote this after the step had ended' }),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
  }),
  z.object({
    type: z.literal('done'),
    stepId: stepIdSchema,
    status: z.enum(['succeeded', 'failed', 'interrupted']),
    exitCode: exitCodeSchema.optional(),
    late: z
      .boolean()
      .optional()
      .meta({ description: 'Whether child processes remain that may still write to fds 1 and 2' }),
    cpuMs: z
      .number()
      .min(0)
      .max(int4Max)
      .optional()
      .meta({ description: 'CPU time since the step before ended, with that of child processes that have ended' }),
    memoryKb: z
      .number()
      .int()
      .min(0)
      .max(2 ** 40)
      .optional()
      .meta({ description: 'The highest resident set of the process so far' }),
    unmarked: z
      .array(z.enum(['stdout', 'stderr']))
      .max(2)
      .optional()
      .meta({ description: 'The streams without an end mark, because the agent has read everything of them already' }),
  }),
  z.object({ type: z.literal('symbols'), id: requestId, symbols: z.array(symbolSchema).max(100_000) }),
  z.object({ type: z.literal('completions'), id: requestId, ...completionsSchema.shape }),
  z.object({ type: z.literal('inspection'), id: requestId, ...inspectionSchema.shape }),
  z.object({ type: z.literal('parsed'), id: requestId, ...parsedCodeSchema.shape }),
  z.object({ type: z.literal('snapshot'), id: requestId }),
  z.object({ type: z.literal('recovered'), id: requestId, ...recoveryReportSchema.shape }),
]);
export type KernelMessage = z.infer<typeof kernelMessageSchema>;

/**
 * The marks that a kernel writes between the bytes of a step, each to both streams. `turn`: what follows comes after all that was written
 * before, on either stream. `message`: the step's next message on fd 3 has its place here. `end`: the step has ended.
 */
export const streamMarks = { turn: 't', message: 'm', end: 'e' } as const;
export type StreamMark = keyof typeof streamMarks;

/** The beginning of each mark of a step. Nothing else on the streams contains its nonce. */
export const markPrefix = (nonce: string) => `\0holdfast:${nonce}:`;

/** A mark as it is written, at most PIPE_BUF bytes in one piece. */
export const streamMark = (nonce: string, mark: StreamMark) => `${markPrefix(nonce)}${streamMarks[mark]}\0`;
