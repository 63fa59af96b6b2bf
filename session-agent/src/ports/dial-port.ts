import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server can be bound to either. */
const loopback = ['127.0.0.1', '::1'] as const;

/** A server whose queue of connections is full lets a dial wait. */
const dialMs = 5000;
const pollMs = 50;

export type Dial = {
  port: number;
  /** How long to try again while nothing listens. */
  waitMs: number;
  signal: AbortSignal;
};

/** A connection to a port of the sandbox's loopback, or null if nothing listens there, also after the wait. */
export async function dialPort({ port, waitMs, signal }: Dial): Promise<Socket | null> {
  for (const untilMs = performance.now() + waitMs; ; ) {
    for (const host of loopback) {
      const socket = await dial(host, port, signal);
      if (socket) return socket;
    }
    if (signal.aborted || performance.now() >= untilMs) return null;
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}

function dial(host: string, port: number, signal: AbortSignal): Promise<Socket | null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true });
    const giveUp = () => {
      socket.destroy();
      resolve(null);
    };
    const late = setTimeout(giveUp, dialMs);
    signal.addEventListener('abort', giveUp);
    const settle = () => {
      clearTimeout(late);
      signal.removeEventListener('abort', giveUp);
    };
    socket.once('close', settle).once('error', giveUp);
    socket.once('connect', () => {
      settle();
      socket.off('error', giveUp).off('close', settle);
      resolve(socket);
    });
  });
}
