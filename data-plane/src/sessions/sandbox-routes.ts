import { type Language, type Network, Problem, type RecoveryMode, type SessionStatus } from '@holdfast/specs/public';
import type { AgentTarget } from '../agent/agent-client.ts';
import type { AgentToken } from '../keys/mint-token.ts';
import type { Seal } from '../keys/seal.ts';
import type { Logger } from '../observability/logger.ts';
import type { StoredPolicy } from '../policy/rules/resolve-policy.ts';
import type { Database } from '../registry/connect.ts';
import { findRoute, type SessionRoute } from '../registry/routes/find-route.ts';
import { singleFlight } from '../timing/single-flight.ts';
import { existingSession, noSession, refuseUnlessActive } from './existing-session.ts';
import { hasSandbox } from './status.ts';

/** The way to a session's sandbox, as this replica has it cached. */
export type Route = AgentTarget & {
  tenant: string;
  language: Language;
  recovery: RecoveryMode;
  network: Network;
  policy: StoredPolicy;
  /** Counts the changes of the policy. An agent refuses requests under a policy that is out of date. */
  policyRevision: number;
  sandboxName: string;
  /** The contextEpoch of the sandbox's first kernels. */
  firstContextEpoch: number;
  /** The highest contextEpoch that is known to be reserved; see `reserve-context-epoch.ts`. */
  contextEpochMax: number;
  /** Whether the steps of the session have to be admitted against a budget. */
  hasBudget: boolean;
  /** Whether the ends of its steps are delivered to webhooks. */
  hasWebhooks: boolean;
};

export type Routes = ReturnType<typeof createRoutes>;

const routesMax = 100_000;

/**
 * The routes of the registry, behind a cache. A cached route can be out of date: an agent refuses a request that is not for it or that
 * comes after its fence, and then the route is read anew.
 */
export function createRoutes({ db, seal, log }: { db: Database; seal: Pick<Seal, 'open'>; log: Pick<Logger, 'warn'> }) {
  const cached = new Map<string, Route>();
  const reading = new Map<string, Promise<Route>>();
  let warned = false;

  async function find(sessionId: string): Promise<(Route & { status: SessionStatus }) | null> {
    const row = await findRoute(db, { sessionId });
    if (!row) return null;
    return {
      sessionId,
      status: row.status,
      tenant: row.tenant,
      language: row.language,
      recovery: row.recovery,
      network: row.network,
      policy: row.policy,
      policyRevision: row.policyRevision,
      firstContextEpoch: row.firstContextEpoch,
      contextEpochMax: row.contextEpochMax,
      hasBudget: row.budgetOf !== null,
      hasWebhooks: row.hasWebhooks,
      epoch: row.epoch,
      endpoint: row.endpoint,
      sandboxName: row.sandboxName,
      sandboxUid: row.sandboxUid,
      agentPublicKey: row.agentPublicKey,
      token: await tokenOf(row),
    };
  }

  /** A token that was sealed under another key counts as expired, so that the next call to the agent makes a new one. */
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

  async function readActive(sessionId: string): Promise<Route> {
    const route = await find(sessionId);
    if (!route || !hasSandbox(route.status)) throw new NoRoute();
    add(route);
    return route;
  }

  function add(route: Route): void {
    if (cached.size >= routesMax) cached.delete(cached.keys().next().value as string);
    cached.set(route.sessionId, route);
  }

  /** Concurrent callers share one read. */
  function readOnce(sessionId: string): Promise<Route> {
    cached.delete(sessionId);
    return singleFlight(reading, sessionId, () => readActive(sessionId));
  }

  return {
    /** Caches a route that was just bound. */
    add,

    /** The registry's route of a session in any status; null if no sandbox is bound. */
    find,

    /**
     * The route as the registry has it now.
     * @throws Problem 404 if the tenant has no such session, 410 if it has ended, 503 if it is still starting
     */
    async refresh({ sessionId, tenant }: { sessionId: string; tenant: string }): Promise<Route> {
      try {
        return checked(await readOnce(sessionId), tenant);
      } catch (error) {
        if (!(error instanceof NoRoute)) throw error;
        refuseUnlessActive(await existingSession(db, { id: sessionId, tenant }));
        return checked(await readOnce(sessionId).catch(asStarting(sessionId)), tenant);
      }
    },

    /** The cached route, at once; if there is none, the same as `refresh`. */
    resolve(key: { sessionId: string; tenant: string }): Route | Promise<Route> {
      const route = cached.get(key.sessionId);
      return route ? checked(route, key.tenant) : this.refresh(key);
    },

    /** The cached route, if there is one. */
    cached: (sessionId: string): Route | null => cached.get(sessionId) ?? null,

    drop(sessionId: string): void {
      cached.delete(sessionId);
    },
  };
}

/** The session is not active, or was not a moment ago. */
class NoRoute extends Error {}

/** The shared read may have begun before the session became active. */
const asStarting = (sessionId: string) => (error: unknown) => {
  if (!(error instanceof NoRoute)) throw error;
  const detail = `session ${sessionId} changed its status just now`;
  throw new Problem('session-starting', { detail, retryAfterSeconds: 1 });
};

function checked(route: Route, tenant: string): Route {
  if (route.tenant !== tenant) throw noSession(route.sessionId);
  return route;
}
