/** Runs a Jupyter kernel and translates between its protocol and the agent's. `README.md` says how. */

import { rmSync } from 'node:fs';
import type { KernelRequest } from '@holdfast/specs/kernel';
import { openChannel } from './agent/channel.ts';
import { holdLifeline } from './agent/lifeline.ts';
import { openStreams } from './agent/streams.ts';
import { createEditor } from './editor/answer-editor.ts';
import { connectToKernel } from './kernel/connect.ts';
import { parseCommand } from './kernel/kernel-command.ts';
import { startKernelProcess } from './kernel/kernel-process.ts';
import { openRawOutput } from './kernel/raw-output.ts';
import { createReplies } from './kernel/replies.ts';
import { untilReady } from './kernel/until-ready.ts';
import { createStepRunner } from './run/step-runner.ts';

// The kernel has a process group of its own, so a signal to this one is meant for nothing that runs.
process.on('SIGINT', () => {});

const command = parseCommand(process.argv[2] ?? '');
const streams = openStreams();
const raw = openRawOutput(command.folder, streams.write);
const kernel = startKernelProcess(command, raw.writers);
raw.closeWriters();
const channel = openChannel({ onRequest: answer, onClosed: abandon });
holdLifeline({ onInterrupt: (number) => runner.interrupt(number), onClosed: abandon });

const connecting = connectToKernel(command, kernel.connection);
void kernel.ended.then(async (end) => {
  // Messages that the kernel sent before its end may still be on their way. A kernel that ended early never made its sockets.
  const connection = await Promise.race([connecting, null]);
  await connection?.untilQuiet();
  raw.drain();
  await channel.flush();
  kernel.endLikewise(end);
});
const connection = await connecting;
const replies = createReplies(connection);
const { send } = channel;
const interrupt = () => kernel.interrupt(connection);
const runner = createStepRunner({ connection, replies, streams, drain: raw.drain, send, interrupt });
const editor = createEditor({ replies, send });
const version = await untilReady(connection, replies);
raw.dropCopies(kernel.pid);
send({ type: 'ready', version });

function answer(request: KernelRequest): void {
  if (request.type === 'execute') runner.execute(request);
  else if (request.type === 'input') runner.input(request);
  else if (request.type === 'complete') void editor.complete(request);
  else if (request.type === 'inspect') void editor.inspect(request);
  else if (request.type === 'parse') void editor.parse(request);
  else if (request.type === 'symbols') send({ type: 'symbols', id: request.id, symbols: [] });
}

/** The agent is gone: nothing that it started may live on. */
function abandon(): void {
  kernel.kill();
  rmSync(command.folder, { recursive: true, force: true });
  process.kill(process.pid, 'SIGKILL');
}
