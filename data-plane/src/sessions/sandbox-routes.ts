import { type Language, Problem, type SessionStatus } from '@holdfast/specs/public';
import type { AgentTarget } from '../agent/agent-client.ts';
import type { AgentToken } from '../keys/mint-token.ts';
import type { Seal } from '../keys/seal.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import { findRoute, type SessionRoute } from '../registry/routes/find-route.ts';
import { singleFlight } from '../timing/single-flight.ts';
import { existingSession, noSession, refuseUnlessActive } from './existing-session.ts';

/** A session's way to its sandbox, as this replica remembers it. */
export type Route = AgentTarget & { tenant: string; language: Language; sandboxName: string };

export type Routes = ReturnType<typeof createRoutes>;

const routesMax = 100_000;

/**
 * The route registry behind a memory. What is remembered can be out of date: an agent refuses what is not for it or comes after
 * its fence, and the route is then looked up anew.
 */
export function createRoutes({ db, seal, log }: { db: Database; seal: Pick<Seal, 'open'>; log: Pick<Logger, 'warn'> }) {
  const remembered = new Map<string, Route>();
  const looking = new Map<string, Promise<Route>>();
  let warned = false;

  async function find(sessionId: string): Promise<(Route & { status: SessionStatus }) | null> {
    const row = await findRoute(db, { sessionId });
    if (!row) return null;
    return {
      sessionId,
      status: row.status,
      tenant: row.tenant,
      language: row.language,
      epoch: row.epoch,
      endpoint: row.endpoint,
      sandboxName: row.sandboxName,
      sandboxUid: row.sandboxUid,
      agentPublicKey: row.agentPublicKey,
      token: await tokenOf(row),
    };
  }

  /** One that was sealed under another key counts as expired, so that whoever calls the agent makes a new one. */
  async function tokenOf({ token, tokenExpiresAt }: SessionRoute): Promise<AgentToken> {
    try {
      return { token: await seal.open(token), expiresAt: tokenExpiresAt };
    } catch (err) {
      if (!warned)
        log.warn({ err }, 'tokens of agents were sealed under another HOLDFAST_ENCRYPTION_KEY; they are replaced');
      warned = true;
      return { token: '', expiresAt: new Date(Math.min(tokenExpiresAt.getTime(), Date.now())) };
    }
  }

  async function look(sessionId: string): Promise<Route> {
    const route = await find(sessionId);
    if (route?.status !== 'active') throw new NoRoute();
    remember(route);
    return route;
  }

  function remember(route: Route): void {
    if (remembered.size >= routesMax) remembered.delete(remembered.keys().next().value as string);
    remembered.set(route.sessionId, route);
  }

  /** Concurrent callers share one look. */
  function lookOnce(sessionId: string): Promise<Route> {
    remembered.delete(sessionId);
    return singleFlight(looking, sessionId, () => look(sessionId));
  }

  return {
    remember,

    /** The registry's route of a session in any status, null where it never had one. */
    find,

    /**
     * The route as the registry has it now. Throws Problem: 404 where the tenant has no such session, 410 where it has ended, 503
     * where it is still starting.
     */
    async refresh({ sessionId, tenant }: { sessionId: string; tenant: string }): Promise<Route> {
      try {
        return checked(await lookOnce(sessionId), tenant);
      } catch (error) {
        if (!(error instanceof NoRoute)) throw error;
        refuseUnlessActive(await existingSession(db, { id: sessionId, tenant }));
        return checked(await lookOnce(sessionId).catch(asStarting(sessionId)), tenant);
      }
    },

    /** The remembered route, else as `refresh`. */
    async resolve(key: { sessionId: string; tenant: string }): Promise<Route> {
      const route = remembered.get(key.sessionId);
      return route ? checked(route, key.tenant) : await this.refresh(key);
    },

    forget(sessionId: string): void {
      remembered.delete(sessionId);
    },
  };
}

/** The session is not active, or was not a moment ago. */
class NoRoute extends Error {}

/** The look that is shared may have begun before the session became active. */
const asStarting = (sessionId: string) => (error: unknown) => {
  if (!(error instanceof NoRoute)) throw error;
  const detail = `session ${sessionId} changed its status just now`;
  throw new Problem('session-starting', { detail, retryAfterSeconds: 1 });
};

function checked(route: Route, tenant: string): Route {
  if (route.tenant !== tenant) throw noSession(route.sessionId);
  return route;
}
