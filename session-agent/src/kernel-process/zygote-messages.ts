import * as z from 'zod';

const lineCharactersMax = 65_536;
const id = z.number().int().min(1);
const pid = z.number().int().min(2);

/** Zygote to agent, a line of JSON each; see ../languages/python/holdfast_zygote/fork_kernels.py. `signal` is a number. */
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

/** Agent to zygote. `folder` holds the FIFOs `1` and `2`. */
export type ZygoteRequest = { type: 'fork'; id: number; folder: string };

/**
 * Cuts what a zygote sends into messages.
 * @throws Error on one that is not valid or too long: the code of the sandbox can reach its zygote.
 */
export function zygoteReader(onMessage: (message: ZygoteMessage) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineCharactersMax) throw new Error('a line of the zygote is over the limit');
    for (const line of lines) onMessage(zygoteMessageSchema.parse(JSON.parse(line)));
  };
}
