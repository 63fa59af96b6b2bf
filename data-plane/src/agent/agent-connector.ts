import { connect, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { Pace } from './pace.ts';
import { paceSocket } from './paced-socket.ts';
import { PeerTimeout, provePeer } from './prove-peer.ts';

const connectTimeoutMs = 5000;

/**
 * An undici connector that hands out a connection only after its peer has proved to be the sandbox. It is read at the pace of its peer.
 * `onProven` gets the peer's public key, which is not known before a route is bound.
 */
export function createAgentConnector(
  expected: { uid: string; publicKey: string | null },
  pace: Pace,
  onProven: (publicKey: string) => void = () => {},
): buildConnector.connector {
  return (options, callback) => {
    const socket = connect({ host: options.hostname, port: Number(options.port), noDelay: true, keepAlive: true });
    dialAndProve(socket, expected).then(
      (publicKey) => {
        onProven(publicKey);
        paceSocket(socket, { peer: expected.uid, pace });
        callback(null, socket);
      },
      (error: Error) => {
        socket.destroy();
        callback(error, null);
      },
    );
  };
}

async function dialAndProve(socket: Socket, expected: { uid: string; publicKey: string | null }): Promise<string> {
  const timer = setTimeout(() => socket.destroy(new PeerTimeout('the peer did not answer in time')), connectTimeoutMs);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve();
      });
    });
    return await provePeer(socket, expected);
  } finally {
    clearTimeout(timer);
  }
}
