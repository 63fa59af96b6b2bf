import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { movedProfile } from '../moved-workspace.ts';

type Profile = Record<string, unknown> & {
  name: string;
  resources: Record<'requests' | 'limits', Record<string, string>>;
};

/** The profiles of deploy/, so small that a node with two processors has room for a hundred sandboxes. `warm` is the first one's pool size. */
export async function smallProfiles(warm: number): Promise<{ profiles: Profile[] }> {
  const path = join(import.meta.dirname, '../../deploy/kustomize/base/data-plane/profiles.json');
  const { profiles } = JSON.parse(await readFile(path, 'utf8')) as { profiles: Profile[] };
  const [first] = profiles;
  if (!first) throw new Error('deploy/ has no profile');
  return {
    profiles: [...profiles, { ...first, ...movedProfile }].map((profile, i) => ({
      ...profile,
      resources: {
        requests: { cpu: '5m', memory: '32Mi', 'ephemeral-storage': '16Mi' },
        limits: { cpu: '1', memory: memoryLimit, 'ephemeral-storage': '1Gi' },
      },
      warm: { internet: 0, none: i === 0 ? warm : 0 },
    })),
  };
}

/** The memory limit. A step that exceeds it is killed by the kernel's OOM killer. */
export const memoryLimit = '256Mi';
