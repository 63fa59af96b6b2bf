import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** An overlay of deploy/, and the tests' changes to it. */
export type OverlayWish = {
  overlay: 'end-to-end' | 'kind';
  /** Variables of the data-plane. */
  variables: Readonly<Record<string, string>>;
  profiles: object;
  /** The number of pods that the sandboxes' ResourceQuota allows. */
  podsMax: number;
};

/** Writes an overlay for deploy/install into a temporary folder, and returns its path. */
export async function writeOverlay({ overlay, variables, profiles, podsMax }: OverlayWish): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'holdfast-overlay-'));
  await mkdir(folder, { recursive: true });
  const base = await realpath(join(import.meta.dirname, '../../deploy/kustomize/overlays', overlay));
  // JSON is YAML.
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(folder, base)],
    configMapGenerator: [
      { ...generated('holdfast-config', 'merge'), literals: Object.entries(variables).map((pair) => pair.join('=')) },
      { ...generated('holdfast-profiles', 'replace'), files: ['profiles.json'] },
    ],
    patches: [
      {
        target: { kind: 'ResourceQuota', name: 'sandboxes' },
        patch: JSON.stringify([{ op: 'replace', path: '/spec/hard/pods', value: String(podsMax) }]),
      },
      // Clusters before 1.21 do not know this version of it.
      {
        target: { kind: 'CronJob' },
        patch: JSON.stringify({
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'holdfast-audit-retention' },
          $patch: 'delete',
        }),
      },
    ],
  };
  await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization, null, 2));
  await writeFile(join(folder, 'profiles.json'), JSON.stringify(profiles, null, 2));
  return folder;
}

const generated = (name: string, behavior: 'merge' | 'replace') => ({ name, namespace: 'holdfast', behavior });
