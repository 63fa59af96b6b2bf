import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from './connect.ts';
import { kernelInfoSchema } from './contents.ts';
import type { Replies } from './replies.ts';

const statusMsMax = 250;
const pollMs = 5;

/**
 * Resolves with the language and its version once the kernel answers on both channels. ZeroMQ drops what is published before a
 * subscription has reached the kernel, so the question is repeated until a status that belongs to it arrives too.
 */
export async function untilReady({ iopub }: Pick<Connection, 'iopub'>, replies: Replies): Promise<string> {
  let publishedId: string | null = null;
  const stop = iopub.on(({ parentId }) => {
    publishedId = parentId;
  });
  for (;;) {
    const { id, reply } = replies.request('kernel_info_request', {});
    const info = kernelInfoSchema.parse(await reply).language_info;
    for (let waited = 0; publishedId !== id && waited < statusMsMax; waited += pollMs) await wait(pollMs);
    if (publishedId !== id) continue;
    stop();
    return `${info.name} ${info.version}`.slice(0, 256);
  }
}
