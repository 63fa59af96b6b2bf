import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Dealer, Subscriber } from 'zeromq';
import type { JupyterCommand } from './kernel-command.ts';
import { ports, socketPrefix } from './kernel-process.ts';
import { createWire, type JupyterMessage } from './wire.ts';

const pollMs = 10;
const quietMs = 50;
const quietMsMax = 1000;
/** ZeroMQ closes a connection that sends more in one message. */
const messageBytesMax = 256 * 1024 * 1024;

type Listener = (message: JupyterMessage) => void;
type Channel = Exclude<keyof typeof ports, 'hb'>;

export type Connection = Awaited<ReturnType<typeof connectToKernel>>;

/** Connects to the kernel's sockets as soon as it has made them. A message of the kernel that is not valid is dropped. */
export async function connectToKernel({ folder }: Pick<JupyterCommand, 'folder'>, { key }: { key: string }) {
  const session = randomUUID();
  const wire = createWire({ key, session });
  // The kernel asks for input under the identity from which the step came.
  const options = { routingId: session, linger: 0, sendHighWaterMark: 0, maxMessageSize: messageBytesMax };
  let receivedAt = performance.now();
  const iopub = new Subscriber({ receiveHighWaterMark: 0, maxMessageSize: messageBytesMax });
  iopub.subscribe();
  iopub.connect(await endpoint(folder, 'iopub'));

  const channel = async (name: Exclude<Channel, 'iopub'>) => {
    const socket = new Dealer(options);
    socket.connect(await endpoint(folder, name));
    let sent: Promise<unknown> = Promise.resolve();
    return {
      socket,
      /** Returns the id of the message. */
      send(type: string, content: unknown): string {
        const { id, frames } = wire.encode(type, content);
        sent = sent.then(() => socket.send(frames));
        return id;
      },
    };
  };
  const [shell, stdin, control] = await Promise.all([channel('shell'), channel('stdin'), channel('control')]);

  const follow = (socket: Dealer | Subscriber) => {
    const listeners = new Set<Listener>();
    void receiveFrom(socket, (frames) => {
      receivedAt = performance.now();
      const message = wire.decode(frames);
      if (message) for (const listener of listeners) listener(message);
    });
    return {
      /** Returns a function that ends the listening. */
      on(listener: Listener): () => void {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
  };
  return {
    iopub: follow(iopub),
    shell: { ...follow(shell.socket), send: shell.send },
    stdin: { ...follow(stdin.socket), send: stdin.send },
    control: { ...follow(control.socket), send: control.send },
    /** Resolves once nothing has been received for a moment. */
    async untilQuiet(): Promise<void> {
      const until = performance.now() + quietMsMax;
      receivedAt = performance.now();
      while (performance.now() < Math.min(until, receivedAt + quietMs)) await wait(pollMs);
    },
  };
}

async function receiveFrom(socket: AsyncIterable<Buffer[]>, onFrames: (frames: Buffer[]) => void): Promise<void> {
  for await (const frames of socket) onFrames(frames);
}

/** Most kernels join path and number by `-`, as Jupyter does; some join them by `:`, as for TCP. */
async function endpoint(folder: string, channel: Channel): Promise<string> {
  const paths = ['-', ':'].map((separator) => `${socketPrefix(folder)}${separator}${ports[channel]}`);
  for (;;) {
    const path = paths.find(existsSync);
    if (path) return `ipc://${path}`;
    await wait(pollMs);
  }
}
