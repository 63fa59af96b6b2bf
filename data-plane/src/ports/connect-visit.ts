import { Problem } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Tunnel } from '../agent/tunnel.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import type { OpenPort } from './open-ports.ts';
import type { PortTraffic } from './port-traffic.ts';

/** The connections through this replica. Those of a session are half of what its agent takes, from all replicas together. */
const ofSessionMax = 128;
const ofTenantMax = 1024;
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

/** The connections that are open, by session and by tenant. */
export type Visits = { bySession: Map<string, number>; byTenant: Map<string, number>; count: number };

/**
 * A connection to the server of a port, for one request. A paused session is not resumed: its servers have ended with its sandbox.
 * @throws Problem 404, 409, 410, 429, 502, 503
 */
export async function connectVisit(deps: ConnectDependencies, { port, ...asked }: ConnectInput): Promise<Tunnel> {
  const { sessionId, tenant } = port;
  deps.refuseOwnPort(port.port);
  const key = { sessionId, tenant };
  const leave = enter(deps.visits, key);
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
      return await connect(other).catch(async (error) => {
        throw asked.signal.aborted ? error : await explainFailedCall(deps, { key, error });
      });
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
function enter(visits: Visits, { sessionId, tenant }: { sessionId: string; tenant: string }): () => void {
  const { bySession, byTenant } = visits;
  const full = [
    (bySession.get(sessionId) ?? 0) >= ofSessionMax && `a session has at most ${ofSessionMax}`,
    (byTenant.get(tenant) ?? 0) >= ofTenantMax && `a tenant has at most ${ofTenantMax}`,
    visits.count >= ofReplicaMax && 'the server has too many',
  ].find((reason) => reason !== false);
  if (full) throw new Problem('quota-exceeded', { detail: `${full} connections to ports`, retryAfterSeconds: 1 });
  const count = (by: 1 | -1) => {
    add(bySession, sessionId, by);
    add(byTenant, tenant, by);
    visits.count += by;
  };
  count(1);
  return () => count(-1);
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const sum = (counts.get(name) ?? 0) + by;
  if (sum > 0) counts.set(name, sum);
  else counts.delete(name);
}
