import * as z from 'zod';
import { completionsSchema, inspectionSchema, symbolSchema } from '../public/context.ts';
import { eventContent } from '../public/event.ts';
import { stepIdSchema } from '../public/ids.ts';
import { resultSchema, stepErrorSchema } from '../public/step.ts';

/** Messages on fd 3 between a session-agent and a kernel: four bytes of length (big-endian), then JSON. */
export const kernelMessageBytesMax = 16 * 1024 * 1024;

const requestId = z.number().int().min(1);

/**
 * Agent to kernel. `nonce` is 32 hexadecimal characters. `number` names the step on the interrupt channel (fd 4). `env` is for
 * this step alone; with `stdin` its code may ask for input. `streams` is a folder with the FIFOs `1` and `2`, which take the place
 * of fds 1, 2, 5 and 6 from this step on; it comes where the step before said `late`. `interrupt` comes with
 * SIGINT to kernels that ask for it and says which step that is for. `cursor` counts Unicode characters.
 */
export type KernelRequest =
  | {
      type: 'execute';
      stepId: string;
      number: number;
      code: string;
      nonce: string;
      env?: Record<string, string>;
      stdin?: boolean;
      streams?: string;
    }
  | { type: 'input'; stepId: string; text: string | null }
  | { type: 'interrupt'; number: number }
  | { type: 'symbols'; id: number }
  | { type: 'complete'; id: number; code: string; cursor: number }
  | { type: 'inspect'; id: number; code: string; cursor: number };

/** Kernel to agent. */
export const kernelMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), version: z.string().max(256) }),
  z.object({
    type: z.literal('begun'),
    number: z.number().int().min(1).meta({ description: 'The step whose code begins; of kernels that speak lines' }),
  }),
  z.object({ type: z.literal('result'), stepId: stepIdSchema, ...resultSchema.shape }),
  z.object({ type: z.literal('error'), stepId: stepIdSchema, ...stepErrorSchema.shape }),
  z.object({ type: z.literal('input_request'), stepId: stepIdSchema, ...eventContent.input_request.shape }),
  z.object({
    type: z.literal('background'),
    stepId: stepIdSchema.meta({ description: 'The step whose thread or task wrote this after its end' }),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
  }),
  z.object({
    type: z.literal('done'),
    stepId: stepIdSchema,
    status: z.enum(['succeeded', 'failed', 'interrupted']),
    late: z.boolean().optional().meta({ description: 'Child processes are left that may still write to fds 1 and 2' }),
  }),
  z.object({ type: z.literal('symbols'), id: requestId, symbols: z.array(symbolSchema).max(100_000) }),
  z.object({ type: z.literal('completions'), id: requestId, ...completionsSchema.shape }),
  z.object({ type: z.literal('inspection'), id: requestId, ...inspectionSchema.shape }),
]);
export type KernelMessage = z.infer<typeof kernelMessageSchema>;

/** The line that ends a step on each stream; nothing else with this nonce ever appears there. At most PIPE_BUF bytes. */
export const endMark = (nonce: string) => `\0holdfast-end:${nonce}\0`;
