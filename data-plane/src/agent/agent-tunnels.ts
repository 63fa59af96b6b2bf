import type { Socket } from 'node:net';
import { agentPortPath, tunnelProtocol } from '@holdfast/specs/agent';
import { Client } from 'undici';
import type { AgentTarget, AgentTokens } from './agent-client.ts';
import type { Assigned } from './agent-connections.ts';
import { createAgentConnector } from './agent-connector.ts';
import { AgentError } from './agent-error.ts';
import { type AgentRequest, sendToAgent } from './agent-request.ts';
import type { Pace } from './pace.ts';
import { type Passed, Tunnel } from './tunnel.ts';

/** For the dial and the proof, beside the wait for a server. */
const openMs = 15_000;

type TunnelsOptions = {
  pace: Pace;
  tokens: Pick<AgentTokens, 'authorization'>;
  onConnections(change: 1 | -1): void;
  isReplaced(assigned: Assigned): Promise<boolean>;
};

export type AskedTunnel = {
  port: number;
  /** How long to wait until a server listens. */
  waitSeconds: number;
  signal: AbortSignal;
  onPassed: Passed;
};

/**
 * Connections through agents to servers in their sandboxes. Each is a connection of its own to the agent and serves one request, so nothing
 * that a server sends can be taken for the answer to another one.
 */
export function createAgentTunnels({ pace, tokens, onConnections, isReplaced }: TunnelsOptions) {
  const open = new Map<string, Set<Tunnel>>();

  function add(uid: string, tunnel: Tunnel): void {
    const ofSandbox = open.get(uid) ?? new Set();
    open.set(uid, ofSandbox.add(tunnel));
    onConnections(1);
    tunnel.once('close', () => {
      onConnections(-1);
      if (ofSandbox.delete(tunnel) && ofSandbox.size === 0) open.delete(uid);
    });
  }

  return {
    /** @throws AgentError */
    async open(target: AgentTarget, { port, waitSeconds, signal, onPassed }: AskedTunnel): Promise<Tunnel> {
      const { sandboxUid: uid, agentPublicKey: publicKey, endpoint } = target;
      const headers = await tokens.authorization(target);
      const connect = createAgentConnector({ uid, publicKey }, pace, {
        allowHalfOpen: true,
        isReplaced: () => isReplaced(target),
      });
      const client = new Client(endpoint, { connect });
      let tunnel: Tunnel | undefined;
      try {
        const request = {
          method: 'GET',
          path: agentPortPath(port, waitSeconds),
          headers,
          signal,
          deadlineMs: openMs + waitSeconds * 1000,
          upgrade: {
            protocol: tunnelProtocol,
            onConnection(connection) {
              tunnel = new Tunnel(connection as Socket, onPassed);
              add(uid, tunnel);
            },
          },
        } as const satisfies AgentRequest;
        await sendToAgent(client, request, () => undefined);
      } finally {
        client.destroy().catch(() => {});
      }
      if (!tunnel) throw new AgentError('invalid', 'the agent did not make a connection to a port');
      return tunnel;
    },

    disconnect(uid: string): void {
      for (const tunnel of [...(open.get(uid) ?? [])]) tunnel.destroy();
    },

    close(): void {
      for (const uid of [...open.keys()]) this.disconnect(uid);
    },
  };
}
