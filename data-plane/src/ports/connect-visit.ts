import { Problem } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Tunnel } from '../agent/tunnel.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import type { OpenPort } from './open-ports.ts';
import type { PortTraffic } from './port-traffic.ts';

/** The connections of one session through this replica. An agent takes twice as many, from all replicas together. */
const ofSessionMax = 128;
const ofReplicaMax = 4096;

export type ConnectDependencies = ExplainDependencies & {
  agents: Pick<AgentClient, 'openTunnel'>;
  routes: Pick<Routes, 'resolve' | 'refresh' | 'cached'>;
  traffic: PortTraffic;
  visits: Visits;
  /** Throws for a port that is never a sandbox's own. */
  refuseOwnPort(port: number): void;
};

type ConnectInput = { port: OpenPort; waitSeconds: number; signal: AbortSignal };

/** The connections that are open, by session. */
export type Visits = { bySession: Map<string, number>; count: number };

/**
 * A connection to the server of a port, for one request. A paused session is not resumed: its servers have ended with its sandbox.
 * @throws Problem 404, 409, 410, 429, 502, 503
 */
export async function connectVisit(deps: ConnectDependencies, { port, ...asked }: ConnectInput): Promise<Tunnel> {
  const { sessionId, tenant } = port;
  deps.refuseOwnPort(port.port);
  const key = { sessionId, tenant };
  const leave = enter(deps.visits, sessionId);
  const connect = async (route: Route) => {
    const onPassed = (bytes: { received?: number; sent?: number }) => {
      deps.traffic.count(port.id, bytes);
      if (bytes.received) deps.traffic.touch(route);
    };
    return await deps.agents.openTunnel(route, { port: port.port, ...asked, onPassed });
  };
  try {
    const route = await deps.routes.resolve(key);
    const tunnel = await connect(route).catch(async (error) => {
      // A visitor that leaves says nothing about the sandbox.
      if (asked.signal.aborted) throw error;
      const problem = await explainFailedCall(deps, { key, error });
      const other = deps.routes.cached(sessionId);
      // Nothing was asked of a server yet, so the sandbox that the session has by now can be tried.
      if (asked.signal.aborted || !other || other.sandboxUid === route.sandboxUid) throw problem;
      return await connect(other);
    });
    if (tunnel.closed) leave();
    else tunnel.once('close', leave);
    return tunnel;
  } catch (error) {
    leave();
    throw error;
  }
}

/** Counts a connection. Returns the function that counts its end. */
function enter(visits: Visits, sessionId: string): () => void {
  const { bySession } = visits;
  const count = bySession.get(sessionId) ?? 0;
  if (count >= ofSessionMax || visits.count >= ofReplicaMax) {
    const detail = `${count >= ofSessionMax ? `a session has at most ${ofSessionMax}` : 'the server has too many'} connections to ports`;
    throw new Problem('quota-exceeded', { detail, retryAfterSeconds: 1 });
  }
  bySession.set(sessionId, count + 1);
  visits.count += 1;
  return () => {
    const left = (bySession.get(sessionId) ?? 1) - 1;
    if (left > 0) bySession.set(sessionId, left);
    else bySession.delete(sessionId);
    visits.count -= 1;
  };
}
