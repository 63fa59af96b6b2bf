import { Problem } from '@holdfast/specs/public';
import { AgentError } from '../../agent/agent-error.ts';
import { askedBy } from '../../policy/audit/asked-by.ts';
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

type Asked = {
  caller: Caller;
  language: string;
  /** The name in the audit log. */
  operation: string;
  actor?: 'agent' | 'user';
};

/**
 * The route under whose policy code of a language may run. A policy that forbids it is read anew first, because it may be out of date.
 * @throws Problem 403, which is in the audit log, and the problems of `refresh`
 */
export async function routeFor(
  deps: PolicyDependencies,
  route: Route,
  { caller, language, operation, actor = 'agent' }: Asked,
): Promise<Route> {
  if (decideRun(route, language).allowed) return route;
  const { sessionId, tenant } = route;
  const now = await deps.routes.refresh({ sessionId, tenant });
  const decision = decideRun(now, language);
  if (decision.allowed) return now;
  const { rule } = decision;
  const entry = { ...askedBy(caller, operation, { language }), actor, sessionId, tenant };
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
