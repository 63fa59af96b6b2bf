import { createHash } from 'node:crypto';
import type { Network } from '@holdfast/specs/public';
import type { SandboxSpec, WarmPool } from './runtime.ts';

type PoolProfile = { name: string; warm: Record<Network, number> };

/**
 * The warm pools that the profiles ask for. A pool's template is a hash of `describe`'s answer: everything that its sandboxes have in
 * common. Pure.
 */
export function warmPoolsFromProfiles<P extends PoolProfile>(
  { profiles, networks }: { profiles: readonly P[]; networks: readonly Network[] },
  describe: (spec: SandboxSpec, profile: P) => object,
): WarmPool[] {
  return profiles.flatMap((profile) =>
    networks
      .map((network) => {
        const spec = { name: 'template', profile: profile.name, network, warm: true };
        const description = JSON.stringify(describe(spec, profile));
        const template = createHash('sha256').update(description).digest('hex').slice(0, 32);
        return { profile: profile.name, network, size: profile.warm[network], template };
      })
      .filter(({ size }) => size > 0),
  );
}
