import type { WarmSandboxCriteria } from '../../registry/warm-sandboxes/claim-warm-sandbox.ts';
import type { Capabilities } from '../../runtimes/runtime.ts';
import type { Offer } from './choose-profile.ts';

/** The warm pool from which a session may claim a sandbox; undefined if there is none for its profile and network class. Pure. */
export function chooseWarmPool(
  { warmPools }: Pick<Capabilities, 'warmPools'>,
  { profile, network }: Offer,
  { warmSeconds }: { warmSeconds: number },
): WarmSandboxCriteria | undefined {
  const pool = warmPools.find((one) => one.profile === profile && one.network === network && one.size > 0);
  return pool && { profile, network, template: pool.template, ageSecondsMax: warmAges(warmSeconds).claimable };
}

/**
 * The age in seconds at which a warm sandbox is replaced, and the age up to which it may be claimed. An agent without a session ends
 * itself after `warmSeconds`, and a claimed one must not be about to do so. Pure.
 */
export const warmAges = (warmSeconds: number) => ({ replaced: warmSeconds * 0.8, claimable: warmSeconds * 0.9 });
