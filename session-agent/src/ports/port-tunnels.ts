import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Problem } from '@holdfast/specs/public';
import { type Dial, dialPort } from './dial-port.ts';

const tunnelsMax = 256;

/** Longer than the data-plane's own limit, for one that is gone without having said so. */
const idleMs = 15 * 60_000;

/** The other end of a connection that passes through. */
export type Visitor = Duplex & { resetAndDestroy(): unknown };

type PortTunnelsDependencies = {
  /** The agent's port; null until it listens. */
  ownPort: () => number | null;
  /** Throws once the sandbox is fenced or while it is held. */
  assertMayRun: () => void;
};

export type PortTunnels = ReturnType<typeof createPortTunnels>;

/** The connections that pass through the agent to servers in the sandbox. */
export function createPortTunnels({ ownPort, assertMayRun }: PortTunnelsDependencies) {
  const open = new Set<() => void>();
  let dialling = 0;

  return {
    /**
     * A connection to a server in the sandbox.
     * @throws Problem `port-closed`, `quota-exceeded`, `session-ended` or `session-paused`
     */
    async dial({ port, waitMs, signal }: Dial): Promise<Socket> {
      assertMayRun();
      if (port === ownPort()) throw closed(`port ${port} is the agent's own`);
      if (open.size + dialling >= tunnelsMax) {
        throw new Problem('quota-exceeded', { detail: `a sandbox has at most ${tunnelsMax} connections to its ports` });
      }
      dialling += 1;
      try {
        const server = await dialPort({ port, waitMs, signal });
        if (!server) throw closed(`nothing listens on port ${port} of the sandbox`);
        return server;
      } finally {
        dialling -= 1;
      }
    },

    /** Passes bytes both ways, no faster than each side takes them, until both have ended or one fails or nothing has moved for too long. */
    join(visitor: Visitor, server: Socket): void {
      const end = () => {
        visitor.resetAndDestroy();
        server.resetAndDestroy();
      };
      try {
        assertMayRun();
      } catch {
        end();
        return;
      }
      open.add(end);
      server.setTimeout(idleMs, end);
      for (const side of [visitor, server]) side.on('error', end);
      // An orderly end was passed on before. Any other is cut: a server may keep a connection that only one side has ended.
      visitor.once('close', () => server.resetAndDestroy());
      server.once('close', () => {
        open.delete(end);
        // The rest of the answer may still be on its way to the visitor.
        if (!visitor.writableEnded) visitor.resetAndDestroy();
      });
      visitor.pipe(server).pipe(visitor);
    },

    /** Ends them all. */
    close(): void {
      for (const end of [...open]) end();
    },
  };
}

const closed = (detail: string) => new Problem('port-closed', { detail });
