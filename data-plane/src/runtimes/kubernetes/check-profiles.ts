import { setTimeout as delay } from 'node:timers/promises';
import { type Network, newId } from '@holdfast/specs/public';
import { ApiError } from './api/api-error.ts';
import type { PodApi } from './api/pod-api.ts';
import { type ManifestSettings, podManifest } from './pod/pod-manifest.ts';
import type { PodProfile } from './pod/pod-profile.ts';

const reachWithinMs = 60_000;
const pauseMs = 1000;

/**
 * Asks the API server, in a dry run, to admit a pod of every profile in every network class. A full quota is not a fault.
 * @throws Error with the server's message for every profile that it refuses, such as one whose runtime class does not exist, or if the server
 * does not answer for 60 s
 */
export async function checkProfiles(
  { api }: { api: Pick<PodApi, 'create'> },
  {
    settings,
    profiles,
    networks,
  }: { settings: ManifestSettings; profiles: readonly PodProfile[]; networks: readonly Network[] },
): Promise<void> {
  const deadline = Date.now() + reachWithinMs;
  const faults: string[] = [];
  for (const profile of profiles) {
    for (const network of networks) {
      const spec = { name: newId('uid').replace('_', '-'), profile: profile.name, network };
      const refused = await refusalOf({ api }, { manifest: podManifest(settings, { spec, profile }), deadline });
      if (refused) faults.push(`profile ${profile.name}, network ${network}: ${refused}`);
    }
  }
  if (faults.length > 0) throw new Error(`the cluster refuses the pods of these profiles:\n  ${faults.join('\n  ')}`);
}

async function refusalOf(
  { api }: { api: Pick<PodApi, 'create'> },
  { manifest, deadline }: { manifest: ReturnType<typeof podManifest>; deadline: number },
): Promise<string | null> {
  for (;;) {
    try {
      await api.create(manifest, { dryRun: true });
      return null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.kind === 'over-quota') return null;
      if (error.kind === 'refused' || error.kind === 'not-found') return error.message;
      if (Date.now() > deadline) throw error;
      await delay(pauseMs);
    }
  }
}
