import { type CreateSession, type Network, Problem } from '@holdfast/specs/public';
import { decideLanguage } from '../../policy/rules/decide.ts';
import { isTighter } from '../../policy/rules/is-tighter.ts';
import { looser, policyDenied } from '../../policy/rules/policy-denied.ts';
import { resolvePolicy, type StoredPolicy } from '../../policy/rules/resolve-policy.ts';
import type { Caller } from '../caller.ts';
import { chooseProfile, type Offer } from '../start/choose-profile.ts';

/** The policy of a new session, and the network class and the profile that it gets under it. */
export type Terms = Offer & { policy: StoredPolicy };

type Chosen = {
  policy: StoredPolicy;
  request: Pick<CreateSession, 'network' | 'profile'> & Parameters<typeof chooseProfile>[1];
};

/**
 * The policy that a request asks for, which begins with the operator's. Pure.
 * @throws Problem 403 if it allows more than the operator's, and the caller is not the host
 */
export function choosePolicy(
  defaults: { policy: StoredPolicy },
  { caller, wish }: { caller: Pick<Caller, 'scopes'>; wish: CreateSession['policy'] },
): StoredPolicy {
  const policy = resolvePolicy(wish ?? {}, defaults.policy);
  if (!caller.scopes.has('host') && !isTighter(defaults.policy, policy)) throw looser("the operator's");
  return policy;
}

/**
 * Chooses network class and profile as `chooseProfile` does. A session whose policy forbids the network gets none. Pure.
 * @throws Problem also 403 if the policy forbids the language or the network class that is asked for
 */
export function chooseTerms(runtime: Parameters<typeof chooseProfile>[0], { policy, request }: Chosen): Terms {
  const decision = decideLanguage(policy, request.language);
  if (!decision.allowed) throw policyDenied(decision.rule);
  const network = networkUnder(policy, request.network);
  const { networks } = runtime.capabilities;
  if (network === 'none' && request.network !== 'none' && !networks.includes('none')) throw openNetwork(runtime.name);
  return { policy, ...chooseProfile(runtime, network ? { ...request, network } : request) };
}

function openNetwork(runtime: string): Problem {
  const detail = `the policy takes the network from code, which the ${runtime} runtime cannot do; set execution.allowNetworkCalls to true to accept that`;
  return new Problem('unsupported-by-runtime', { detail, errors: [{ pointer: '/policy', detail }] });
}

function networkUnder(policy: StoredPolicy, wish: Network | undefined): Network | undefined {
  if (!policy || policy.execution.allowNetworkCalls) return wish;
  if (wish === 'internet') throw policyDenied('execution.allowNetworkCalls');
  return 'none';
}
