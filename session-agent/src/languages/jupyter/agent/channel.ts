import { Socket } from 'node:net';
import type { KernelMessage, KernelRequest } from '@holdfast/specs/kernel';

const lengthBytes = 4;

export type Send = (message: KernelMessage) => void;

type Listeners = { onRequest: (request: KernelRequest) => void; onClosed: () => void };

/** Opens the channel to the agent on fd 3: four bytes of length (big-endian), then JSON. The agent sends nothing before `ready`. */
export function openChannel({ onRequest, onClosed }: Listeners): { send: Send; flush: () => Promise<void> } {
  const socket = new Socket({ fd: 3, readable: true, writable: true });
  let received: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = received.length > 0 ? Buffer.concat([received, chunk]) : chunk;
    while (received.length >= lengthBytes) {
      const end = lengthBytes + received.readUInt32BE(0);
      if (received.length < end) return;
      const request = JSON.parse(received.toString('utf8', lengthBytes, end));
      received = received.subarray(end);
      onRequest(request);
    }
  });
  socket.on('error', () => {});
  socket.on('close', onClosed);
  return {
    send: (message) => void socket.write(framed(message)),
    flush: () => new Promise((resolve) => socket.write('', () => resolve())),
  };
}

function framed(message: KernelMessage): Buffer {
  const body = Buffer.from(JSON.stringify(message, wellFormed));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** Turns lone surrogates, which UTF-8 cannot hold, into replacement characters. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
