import { Problem } from '@holdfast/specs/public';
import { AgentError } from '../../agent/agent-error.ts';
import { entryOf } from '../../policy/audit/asked-by.ts';
import { type Decision, decideLanguage } from '../../policy/rules/decide.ts';
import { policyDenied } from '../../policy/rules/policy-denied.ts';
import { recordAudit } from '../../registry/audit/record-audit.ts';
import type { Database } from '../../registry/connect.ts';
import { explainFailedCall } from '../agent-problem.ts';
import type { Caller } from '../caller.ts';
import type { Route, Routes } from '../sandbox-routes.ts';
import { type TellDependencies, tellPolicy } from './tell-policy.ts';

export type PolicyDependencies = TellDependencies & {
  db: Database;
  routes: Pick<Routes, 'refresh'>;
  hint(sessionId: string): void;
};

/**
 * Whether code of a language may run, and the route under whose policy that was decided. A policy that forbids it is read anew first, because it
 * may be out of date.
 * @throws Problem as `refresh` does
 */
export async function judge(
  { routes }: Pick<PolicyDependencies, 'routes'>,
  { route, language }: { route: Route; language: string },
): Promise<{ route: Route; decision: Decision }> {
  const decision = decideRun(route, language);
  if (decision.allowed) return { route, decision };
  const { sessionId, tenant } = route;
  const now = await routes.refresh({ sessionId, tenant });
  return { route: now, decision: decideRun(now, language) };
}

type Asked = {
  caller: Caller;
  route: Route;
  language: string;
  /** The name in the audit log. */
  operation: string;
};

/**
 * The route under whose policy something other than a step may be done with code of a language.
 * @throws Problem 403, which is in the audit log, and the problems of `refresh`
 */
export async function routeFor(deps: PolicyDependencies, { caller, operation, ...asked }: Asked): Promise<Route> {
  const { route, decision } = await judge(deps, asked);
  if (decision.allowed) return route;
  const { rule } = decision;
  const entry = entryOf(caller, route.sessionId, { operation, language: asked.language });
  await recordAudit(deps.db, { ...entry, decision: 'denied', rule });
  throw policyDenied(rule);
}

/** A session whose policy has just forbidden the network runs nothing until it has another sandbox. */
function decideRun({ policy, network }: Pick<Route, 'policy' | 'network'>, language: string): Decision {
  if (policy && !policy.execution.allowNetworkCalls && network !== 'none') {
    return { allowed: false, rule: 'execution.allowNetworkCalls' };
  }
  return decideLanguage(policy, language);
}

/** The request was decided by another policy than the agent has. It has not started. */
export class PolicyChanged extends Problem {
  constructor(sessionId: string) {
    super('session-starting', { detail: `the policy of session ${sessionId} changed just now`, retryAfterSeconds: 1 });
  }
}

export const isPolicyChange = (error: unknown): boolean =>
  error instanceof AgentError && error.slug === 'policy-changed';

/**
 * Makes replica and agent agree on the policy that the registry has, after the agent has refused a request that was decided by another one.
 * @throws Problem 404, 410, 502, 503
 */
export async function agreeOnPolicy(
  deps: PolicyDependencies,
  key: { sessionId: string; tenant: string },
): Promise<void> {
  const route = await deps.routes.refresh(key);
  await tellPolicy(deps, route).catch(async (error) => {
    throw await explainFailedCall(deps, { key, error });
  });
}
