import { createServer, type Server } from 'node:net';

export type LoopbackBlock = {
  /** `127.x.y.n`, for n from 1 to 253. */
  address(n: number): string;
  release(): Promise<void>;
};

/** Takes 256 loopback addresses that no other test uses. A listener on the last address is the lock. Linux has all of 127.0.0.0/8. */
export async function takeLoopbackBlock(): Promise<LoopbackBlock> {
  for (let tried = 0; tried < 1000; tried++) {
    const block = (process.pid + tried * 7919) % (64 * 256);
    const prefix = `127.${64 + (block >> 8)}.${block & 255}`;
    const lock = await listen(`${prefix}.254`);
    if (!lock) continue;
    return {
      address: (n) => `${prefix}.${n}`,
      release: () => new Promise((resolve) => lock.close(() => resolve())),
    };
  }
  throw new Error('no block of loopback addresses is free');
}

function listen(host: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(65_535, host, () => resolve(server));
  });
}
