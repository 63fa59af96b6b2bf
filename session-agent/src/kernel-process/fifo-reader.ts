import { Socket, type SocketConstructorOpts } from 'node:net';
import { ReadStream } from 'node:tty';

/** The reading end of a FIFO. It has no 'data' events. */
export type FifoReader = Socket & {
  /** Passes on all bytes, also those that came before. They are valid during the call only. */
  listen(onBytes: (bytes: Buffer) => void): void;
};

/**
 * The memory into which all FIFOs are read. Each read is passed on before the next one begins. With memory of its own for each read, most of
 * the agent's time would go into collecting it, since output is copied into frames anyway.
 */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

export function createFifoReader(fd: number): FifoReader {
  return readWith((onread) => new Socket({ fd, readable: true, writable: false, onread }));
}

/** Reads the master side of a terminal in the same way. Its end is an error, EIO. */
export function createTerminalReader(fd: number): FifoReader {
  return readWith((onread) => new ReadStream(fd, { onread }).resume());
}

function readWith(open: (onread: SocketConstructorOpts['onread']) => Socket): FifoReader {
  const early: Buffer[] = [];
  let pass = (bytes: Buffer): void => {
    early.push(Buffer.from(bytes));
  };
  const callback = (length: number) => {
    pass(shared.subarray(0, length));
    return true;
  };
  return Object.assign(open({ buffer: shared, callback }), {
    listen(onBytes: (bytes: Buffer) => void) {
      pass = onBytes;
      for (const bytes of early.splice(0)) onBytes(bytes);
    },
  });
}
