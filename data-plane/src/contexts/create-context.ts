import { agentContextSchema } from '@holdfast/specs/agent';
import { type Context, type CreateContext, newId } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Seal } from '../keys/seal.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import { findContext } from '../registry/contexts/find-context.ts';
import { insertContext } from '../registry/contexts/insert-context.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import { type IdempotencyDependencies, idempotently } from '../sessions/idempotently.ts';
import { agreeOnPolicy, isPolicyChange, type PolicyDependencies, routeFor } from '../sessions/policy/under-policy.ts';
import { reserveContextEpoch } from '../sessions/reserve-context-epoch.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { contextView } from './list-contexts.ts';

type CreateContextDependencies = IdempotencyDependencies &
  PolicyDependencies & {
    seal: Pick<Seal, 'close'>;
    agents: Pick<AgentClient, 'call'>;
    routes: Pick<Routes, 'resolve' | 'refresh'>;
    hint(sessionId: string): void;
  };

type CreateInput = { caller: Caller; sessionId: string; request: CreateContext; idempotencyKey?: string };

/**
 * Creates a further interpreter in the session.
 * @throws Problem 400 if `cwd` is outside the workspace, 403 if the policy forbids the language, 404, 409, 410, 422, 429, 502, 503
 */
export async function createContext(deps: CreateContextDependencies, input: CreateInput): Promise<Context> {
  const { caller, sessionId, request, idempotencyKey } = input;
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['create context', sessionId, request],
    newId: newId('ctx'),
  };
  try {
    return await idempotently(deps, first, async (contextId) => {
      const makeOnce = async () => await make(deps, { ...input, route: await allowedRoute(deps, input), contextId });
      return await makeOnce().catch(async (error) => {
        if (!isPolicyChange(error)) throw error;
        await agreeOnPolicy(deps, { sessionId, tenant: caller.tenant });
        return await makeOnce();
      });
    });
  } catch (error) {
    throw agentProblem(deps, { sessionId, error });
  }
}

async function allowedRoute(deps: CreateContextDependencies, input: CreateInput): Promise<Route> {
  const { caller, sessionId, request } = input;
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  return await routeFor(deps, { caller, route, language: request.language, operation: 'context.create' });
}

type Make = CreateInput & { route: Route; contextId: string };

/** May be repeated: the second time it returns the context that exists. Without a key it is never repeated, so a failure leaves no context. */
async function make({ agents, db, seal }: CreateContextDependencies, { sessionId, request, route, ...rest }: Make) {
  const { caller, contextId, idempotencyKey } = rest;
  const body = { ...request, contextId };
  const call = { method: 'POST', path: '/v1/contexts', body, schema: agentContextSchema } as const;
  const made = await agents.call(route, call);
  try {
    await reserveContextEpoch({ db }, { route, contextEpoch: made.contextEpoch });
    const { language, cwd } = made;
    const settings = await sealedSettings(seal, request);
    const inserted = await db.transaction(async (tx) => {
      const row = await insertContext(tx, { sessionId, id: contextId, language, cwd, settings });
      const entry = { operation: 'context.create', contextId, language };
      if (row) await recordAudit(tx, entryOf(caller, sessionId, entry));
      return row;
    });
    const row = inserted ?? (await findContext(db, { sessionId, contextId }));
    return contextView(made, row?.createdAt ?? new Date());
  } catch (error) {
    if (!idempotencyKey)
      await agents.call(route, { method: 'DELETE', path: `/v1/contexts/${contextId}` }).catch(() => {});
    throw error;
  }
}

/** The settings with which another sandbox makes the same context. */
async function sealedSettings(seal: Pick<Seal, 'close'>, { env, limits }: CreateContext): Promise<string | null> {
  const hasEnv = env !== undefined && Object.keys(env).length > 0;
  return hasEnv || limits
    ? await seal.close(JSON.stringify({ ...(hasEnv && { env }), ...(limits && { limits }) }))
    : null;
}
