import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** A TCP proxy that can cut its connections, or leave them open and deliver nothing. */
export type TcpProxy = {
  port: number;
  /** The number of open connections. */
  readonly open: number;
  /** Resets every connection. Returns how many there were. */
  cut(): number;
  /** From now on no byte passes in either direction; new connections are accepted and hear nothing. Returns how many are open. */
  silence(): number;
  /** Resets the connections that were silent, whose peers could have kept them for ever, and lets new ones pass. Returns how many. */
  hear(): number;
  close(): Promise<void>;
};

export async function startProxy(
  target: NetConnectOpts,
  { host, port }: { host: string; port: number },
): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>();
  let silent = false;

  const server = createServer({ pauseOnConnect: true }, (near) => {
    const far = connect(target);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.setNoDelay(true).on('error', () => reset(pair));
      socket.once('close', () => {
        pairs.delete(pair);
        other.destroySoon();
      });
    }
    near.pipe(far);
    far.pipe(near);
    if (silent) hush(pair);
  });
  const hush = ([near, far]: [Socket, Socket]) => {
    near.unpipe(far).pause();
    far.unpipe(near).pause();
  };
  /** A Unix socket has no reset; its other end sees that it is closed. */
  const reset = ([near, far]: [Socket, Socket]) => {
    near.resetAndDestroy();
    far.destroy();
  };
  const cut = () => {
    const all = [...pairs];
    for (const pair of all) reset(pair);
    return all.length;
  };

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: address && typeof address === 'object' ? address.port : port,
    get open() {
      return pairs.size;
    },
    cut,
    silence() {
      silent = true;
      for (const pair of pairs) hush(pair);
      return pairs.size;
    },
    hear() {
      silent = false;
      return cut();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
