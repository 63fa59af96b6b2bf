import { connect, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { Pace } from './pace.ts';
import { paceSocket } from './paced-socket.ts';
import { PeerReplaced, PeerTimeout, provePeer } from './prove-peer.ts';

const connectTimeoutMs = 5000;
/** Nothing may ever answer at the address of a sandbox that is gone: a dial that takes this long asks whether it is still wanted. */
const doubtMs = 250;

type Expected = { uid: string; publicKey: string | null };

type ConnectorOptions = {
  /** Gets the peer's public key, which is not known before a route is bound. */
  onProven?: (publicKey: string) => void;
  /** Whether the session has another sandbox by now, or none. */
  isReplaced?: () => Promise<boolean>;
  /** Whether each side of the connection can end its way alone. */
  allowHalfOpen?: boolean;
};

/** An undici connector that hands out a connection only after its peer has proved to be the sandbox. It is read at the pace of its peer. */
export function createAgentConnector(
  expected: Expected,
  pace: Pace,
  { onProven = () => {}, isReplaced = async () => false, allowHalfOpen = false }: ConnectorOptions = {},
): buildConnector.connector {
  return (options, callback) => {
    const { hostname: host, port } = options;
    const socket = connect({ host, port: Number(port), noDelay: true, keepAlive: true, allowHalfOpen });
    dialAndProve(socket, expected, isReplaced).then(
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

async function dialAndProve(socket: Socket, expected: Expected, isReplaced: () => Promise<boolean>): Promise<string> {
  const timer = setTimeout(() => socket.destroy(new PeerTimeout('the peer did not answer in time')), connectTimeoutMs);
  const endIfReplaced = async () => {
    if (await isReplaced()) socket.destroy(new PeerReplaced('the session has another sandbox'));
  };
  const doubts = setInterval(() => endIfReplaced().catch(() => {}), doubtMs);
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
    clearInterval(doubts);
  }
}
