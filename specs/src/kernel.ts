import { z } from 'zod';
import { symbolSchema } from './context.ts';
import { stepIdSchema } from './ids.ts';
import { resultSchema, stepErrorSchema } from './step.ts';

/** Messages on fd 3 between a session-agent and a kernel: four bytes of length (big-endian), then JSON. */
export const kernelMessageBytesMax = 16 * 1024 * 1024;

const symbolsId = z.number().int().min(1);

/** Agent to kernel. `nonce` is 32 hexadecimal characters. `number` names the step on the interrupt channel (fd 4). */
export type KernelRequest =
  | { type: 'execute'; stepId: string; number: number; code: string; nonce: string }
  | { type: 'symbols'; id: number };

/** Kernel to agent. */
export const kernelMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), version: z.string().max(256) }),
  z.object({ type: z.literal('result'), stepId: stepIdSchema, ...resultSchema.shape }),
  z.object({ type: z.literal('error'), stepId: stepIdSchema, ...stepErrorSchema.shape }),
  z.object({ type: z.literal('done'), stepId: stepIdSchema, status: z.enum(['succeeded', 'failed', 'interrupted']) }),
  z.object({ type: z.literal('symbols'), id: symbolsId, symbols: z.array(symbolSchema).max(100_000) }),
]);
export type KernelMessage = z.infer<typeof kernelMessageSchema>;

/** The line that ends a step on each stream; nothing else with this nonce ever appears there. At most PIPE_BUF bytes. */
export const endMark = (nonce: string) => `\0holdfast-end:${nonce}\0`;
