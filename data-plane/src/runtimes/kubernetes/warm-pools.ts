import { createHash } from 'node:crypto';
import { networkSchema } from '@holdfast/specs/public';
import type { WarmPool } from '../runtime.ts';
import { type ManifestSettings, podManifest } from './pod-manifest.ts';
import type { PodProfile } from './pod-profile.ts';

/** What the profiles want kept ready. The template is a hash of all that the pods of a pool have in common. Pure. */
export function warmPools(settings: ManifestSettings, profiles: readonly PodProfile[]): WarmPool[] {
  return profiles.flatMap((profile) =>
    networkSchema.options
      .map((network) => {
        const spec = { name: 'template', profile: profile.name, network, warm: true };
        const manifest = JSON.stringify(podManifest(settings, { spec, profile }));
        const template = createHash('sha256').update(manifest).digest('hex').slice(0, 32);
        return { profile: profile.name, network, size: profile.warm[network], template };
      })
      .filter(({ size }) => size > 0),
  );
}
