import * as z from 'zod';

const lineCharactersMax = 65_536;
const id = z.number().int().min(1);
const pid = z.number().int().min(2);

/** Messages from the zygote to the agent, each a line of JSON; see ../languages/python/holdfast_zygote/fork_kernels.py. `signal` is a number. */
const zygoteMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), address: z.string().min(1).max(100), preloaded: z.array(z.string()) }),
  z.object({ type: z.literal('forked'), id, pid }),
  z.object({ type: z.literal('failed'), id, message: z.string() }),
  z.object({
    type: z.literal('exited'),
    pid,
    exitCode: z.number().int().nullable(),
    signal: z.number().int().nullable(),
  }),
]);
export type ZygoteMessage = z.infer<typeof zygoteMessageSchema>;

/** A message from the agent to the zygote. `folder` holds the FIFOs `1` and `2`. */
export type ZygoteRequest = { type: 'fork'; id: number; folder: string };

/**
 * Returns a function that takes the bytes of a zygote and calls `onMessage` for each message.
 * @throws Error if a message is invalid or too long, as the code in the sandbox can reach the zygote
 */
export function createZygoteReader(onMessage: (message: ZygoteMessage) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineCharactersMax) throw new Error('a line from the zygote is over the limit');
    for (const line of lines) onMessage(zygoteMessageSchema.parse(JSON.parse(line)));
  };
}
