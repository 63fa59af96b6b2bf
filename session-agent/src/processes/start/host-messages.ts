import * as z from 'zod';
import { measuredLimits } from '../../kernel-process/limits/limit-cause.ts';
import type { Program } from './process-starter.ts';

const lineCharactersMax = 65_536;
const markerCharactersMax = 64;
const id = z.number().int().min(1);
const pid = z.number().int().min(2);
const descriptor = z.number().int().min(3).max(65_535).optional();

/** Messages from the process that starts the others, each a line of JSON; see ../../languages/python/holdfast_processes. */
const hostMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('answer'),
    id,
    error: z
      .string()
      .regex(/^E[A-Z0-9]{1,20}$/)
      .optional(),
    pid: pid.optional(),
    ends: z.object({ input: descriptor, output: descriptor, errors: descriptor }).optional(),
  }),
  z.object({
    type: z.literal('ended'),
    pid,
    status: z.number().int().min(0).max(0xffff),
    cpuSeconds: z.number().min(0).max(1e9),
    memoryKb: z
      .number()
      .int()
      .min(0)
      .max(2 ** 40),
    exceeded: z.enum(measuredLimits).optional(),
  }),
  z.object({ type: z.literal('unwatched'), marker: z.string().max(markerCharactersMax) }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;
export type HostAnswer = Extract<HostMessage, { type: 'answer' }>;

export type HostQuestion = ({ type: 'start'; limits?: string } & Omit<Program, 'limits'>) | { type: 'end' };

/**
 * Returns a function that takes the bytes of the process and calls `onMessage` for each message.
 * @throws Error if a message is not valid or too long, as the code in the sandbox can reach the process
 */
export function createHostReader(onMessage: (message: HostMessage) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineCharactersMax) throw new Error('a line is over the limit');
    for (const line of lines) onMessage(hostMessageSchema.parse(JSON.parse(line)));
  };
}
