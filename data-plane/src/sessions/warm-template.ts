import type { WarmSandboxCriteria } from '../registry/warm-sandboxes/claim-warm-sandbox.ts';
import type { Capabilities } from '../runtimes/runtime.ts';
import type { Offer } from './choose-profile.ts';

/**
 * When a warm sandbox is replaced, and when nobody may claim it any more, in seconds of age. `warmSeconds` is after how long an
 * agent without a session ends itself; one that is claimed must not be about to. Pure.
 */
export const warmAges = (warmSeconds: number) => ({ replaced: warmSeconds * 0.8, claimable: warmSeconds * 0.9 });

/** What a session may claim, where its offer has a pool. Pure. */
export function warmWishFor(
  { warmPools }: Pick<Capabilities, 'warmPools'>,
  { profile, network }: Offer,
  { warmSeconds }: { warmSeconds: number },
): WarmSandboxCriteria | undefined {
  const pool = warmPools.find((one) => one.profile === profile && one.network === network && one.size > 0);
  return pool && { profile, network, template: pool.template, ageSecondsMax: warmAges(warmSeconds).claimable };
}
