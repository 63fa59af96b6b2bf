import { beforeAll, expect, test } from 'vitest';
import type { KubernetesObject } from './kubernetes-object.ts';
import { kustomized, templated } from './render.ts';

let overlay: Map<string, unknown>;
let chart: Map<string, unknown>;

beforeAll(async () => {
  overlay = comparable(await kustomized('overlays/production'));
  chart = comparable(await templated(['production'], '--api-versions=monitoring.coreos.com/v1'));
});

test('the production overlay and the chart have the same objects', () => {
  // helm makes the release's own namespace, and only the chart has a test pod.
  const expected = [...overlay.keys()].filter((key) => key !== 'Namespace holdfast');
  const actual = [...chart.keys()].filter((key) => key !== 'Pod holdfast/holdfast-first-step');
  expect(actual.sort()).toEqual(expected.sort());
});

test('objects with the same name are equal', () => {
  const shared = [...overlay.keys()].filter((key) => chart.has(key));
  expect(shared.length).toBeGreaterThan(10);
  for (const key of shared) expect(chart.get(key), key).toEqual(overlay.get(key));
});

test('the default profiles of the chart are those of the base', async () => {
  const profiles = 'ConfigMap holdfast/holdfast-profiles';
  const ofBase = comparable(await kustomized('base'));
  expect(comparable(await templated(['bundled-postgres'])).get(profiles)).toEqual(ofBase.get(profiles));
});

test('the bundled Postgres of the chart is that of the overlays', async () => {
  const bundled = comparable(await templated(['bundled-postgres']));
  const ofEndToEnd = comparable(await kustomized('overlays/end-to-end'));
  const keys = [...ofEndToEnd.keys()].filter((key) => key.includes('postgres'));
  expect(keys).toHaveLength(3);
  for (const key of keys) expect(bundled.get(key), key).toEqual(ofEndToEnd.get(key));
});

/** The objects by kind, namespace and name, without the additions of either tool. */
function comparable(objects: KubernetesObject[]): Map<string, unknown> {
  const plain: KubernetesObject[] = objects.map((object) =>
    JSON.parse(withoutHashes(JSON.stringify(object)), withoutChartLabels),
  );
  return new Map(
    plain.map((object) => {
      const { name, namespace } = object.metadata;
      return [`${object.kind} ${namespace ? `${namespace}/` : ''}${name}`, withParsedProfiles(object)];
    }),
  );
}

/** Kustomize adds a hash to the names of generated ConfigMaps. */
const withoutHashes = (json: string) => json.replaceAll(/"(holdfast-(?:config|profiles))-[a-z0-9]{10}"/g, '"$1"');

const chartLabels = [
  'helm.sh/chart',
  'app.kubernetes.io/instance',
  'app.kubernetes.io/version',
  'app.kubernetes.io/managed-by',
];
const ownLabels = ['app.kubernetes.io/part-of', 'app.kubernetes.io/name', 'app.kubernetes.io/component'];

function withoutChartLabels(key: string, value: unknown): unknown {
  if (key === 'metadata') {
    const { labels, annotations: _, ...rest } = value as KubernetesObject['metadata'];
    const kept = Object.entries(labels ?? {}).filter(([name]) => ![...chartLabels, ...ownLabels].includes(name));
    return { ...rest, labels: Object.fromEntries(kept) };
  }
  if (key !== 'matchLabels' && key !== 'selector') return value;
  return Object.fromEntries(Object.entries(value as object).filter(([name]) => !chartLabels.includes(name)));
}

function withParsedProfiles(object: KubernetesObject): KubernetesObject {
  const json = object.data?.['profiles.json'];
  return json ? { ...object, data: JSON.parse(json) } : object;
}
