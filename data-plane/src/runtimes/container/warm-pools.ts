import { createHash } from 'node:crypto';
import type { Network } from '@holdfast/specs/public';
import type { WarmPool } from '../runtime.ts';
import { type ContainerSettings, containerOptions } from './container-options.ts';
import type { ContainerProfile } from './container-profile.ts';

/** What the profiles want kept ready. The template is a hash of all that the containers of a pool have in common. Pure. */
export function warmPools(
  settings: ContainerSettings,
  { profiles, networks }: { profiles: readonly ContainerProfile[]; networks: readonly Network[] },
): WarmPool[] {
  return profiles.flatMap((profile) =>
    networks
      .map((network) => {
        const spec = { name: 'template', profile: profile.name, network, warm: true };
        const options = JSON.stringify(containerOptions(settings, { spec, profile, uid: 'template' }));
        const template = createHash('sha256').update(options).digest('hex').slice(0, 32);
        return { profile: profile.name, network, size: profile.warm[network], template };
      })
      .filter(({ size }) => size > 0),
  );
}
