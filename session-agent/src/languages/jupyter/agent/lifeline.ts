import { Socket } from 'node:net';

const numberBytes = 4;

type Listeners = {
  /** Gets the number of the step to interrupt. */
  onInterrupt: (number: number) => void;
  /** The agent is gone. */
  onClosed: () => void;
};

/** Reads interrupts from fd 4, each the number of a step (four bytes, big-endian), until the agent is gone. */
export function holdLifeline({ onInterrupt, onClosed }: Listeners): void {
  const socket = new Socket({ fd: 4, readable: true, writable: false });
  let received: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (; received.length >= numberBytes; received = received.subarray(numberBytes)) {
      onInterrupt(received.readUInt32BE(0));
    }
  });
  socket.on('error', () => {});
  socket.on('close', onClosed);
}
