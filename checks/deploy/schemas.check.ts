import { glob, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type KubernetesObject, objectsOf } from './kubernetes-object.ts';
import { chart, deployFolder, kustomized, runTool, templated } from './render.ts';
import { schemaFaults } from './schema-faults.ts';

const withMonitoring = '--api-versions=monitoring.coreos.com/v1';
const folders = ['base', 'overlays/kind', 'overlays/end-to-end', 'overlays/production'];
const valuesFiles = ['bundled-postgres', 'development', 'production', 'everything'];

const faultsOf = (objects: KubernetesObject[]) =>
  objects.flatMap((object) => schemaFaults(object).map((fault) => `${object.kind} ${object.metadata?.name}: ${fault}`));

test.each(folders)('every object of kustomize/%s matches the schemas of current Kubernetes', async (folder) => {
  const objects = await kustomized(folder);
  expect(objects.length).toBeGreaterThan(10);
  expect(faultsOf(objects)).toEqual([]);
});

test.each(valuesFiles)(
  'every object of the chart with %s.yaml matches the schemas of current Kubernetes',
  async (values) => {
    const objects = await templated([values], withMonitoring);
    expect(objects.length).toBeGreaterThan(10);
    expect(faultsOf(objects)).toEqual([]);
    await runTool('helm', ['lint', '--strict', chart, `--values=${join(import.meta.dirname, 'values', values)}.yaml`]);
  },
);

test('every YAML file of deploy/ belongs to an overlay or has a schema of its own', async () => {
  const faults: string[] = [];
  for await (const path of glob('{kind,kustomize}/**/*.yaml', { cwd: deployFolder })) {
    const text = await readFile(join(deployFolder, path), 'utf8');
    const kustomization = await readFile(join(deployFolder, dirname(path), 'kustomization.yaml'), 'utf8').catch(
      () => '',
    );
    if (basename(path) === 'kustomization.yaml') continue;
    if (kustomization.includes(`path: ${basename(path)}`)) continue;
    if (kustomization && !kustomization.includes(`- ${basename(path)}`)) faults.push(`${path} is in no kustomization`);
    faults.push(...faultsOf(objectsOf(text)).map((fault) => `${path}: ${fault}`));
  }
  expect(faults).toEqual([]);
});

describe('the schemas reject', () => {
  const policy = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'x' } };

  test.each([
    ['a misspelt kind', { ...policy, kind: 'NetworkPolicie' }],
    ['an API version that is gone', { ...policy, apiVersion: 'extensions/v1beta1' }],
    ['an unknown field', { ...policy, spec: { podSelector: {}, policyType: ['Egress'] } }],
    ['an unknown field far inside', { ...policy, spec: { podSelector: { matchLabel: {} } } }],
    ['a wrong type', { ...policy, spec: { podSelector: {}, policyTypes: 'Egress' } }],
    ['a missing field', { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: { replicas: 1 } }],
    [
      'an unknown field of a PodMonitor',
      {
        apiVersion: 'monitoring.coreos.com/v1',
        kind: 'PodMonitor',
        metadata: { name: 'x' },
        spec: { selector: {}, podMetricsEndpoints: [{ ports: 'http' }] },
      },
    ],
  ])('%s', (_, object) => {
    expect(schemaFaults(object)).not.toEqual([]);
  });

  test('a key that is given twice', () => {
    expect(() => objectsOf('kind: Pod\nkind: Service\n')).toThrow(/unique/);
  });
});
