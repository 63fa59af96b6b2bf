import { describe, expect, test } from 'vitest';
import { type KubernetesObject, theOne } from './kubernetes-object.ts';
import { kustomized, templated } from './render.ts';
import { type PodSpec, restrictedFaults } from './restricted-faults.ts';

const renderings: [string, () => Promise<KubernetesObject[]>][] = [
  ['overlays/kind', () => kustomized('overlays/kind')],
  ['overlays/end-to-end', () => kustomized('overlays/end-to-end')],
  ['overlays/production', () => kustomized('overlays/production')],
  ['the chart', () => templated(['production'])],
  ['the chart with a long drain', () => templated(['production'], '--set=drainSeconds=600')],
  ['the chart with a bundled Postgres', () => templated(['bundled-postgres'])],
];

const podsOf = (objects: KubernetesObject[]): PodSpec[] =>
  objects.flatMap(({ kind, spec }) => {
    if (kind === 'Deployment') return [spec.template.spec];
    if (kind === 'CronJob') return [spec.jobTemplate.spec.template.spec];
    return kind === 'Pod' ? [spec] : [];
  });

describe.each(renderings)('%s', (_, render) => {
  test('runs every pod under the restricted Pod Security Standard with a read-only root', async () => {
    const pods = podsOf(await render());
    expect(pods.length).toBeGreaterThan(0);
    expect(pods.flatMap(restrictedFaults)).toEqual([]);
  });

  test('gives a token to the data-plane alone', async () => {
    const tokens = podsOf(await render()).filter((pod) => pod.automountServiceAccountToken);
    expect(tokens.map(({ containers }) => containers.map(({ name }) => name))).toEqual([['data-plane']]);
  });

  test('deletes old entries of the audit log every day under the role that owns the tables, and is no replica', async () => {
    const objects = await render();
    const { spec } = theOne(objects, 'CronJob', 'holdfast-audit-retention');
    const { metadata, spec: pod } = spec.jobTemplate.spec.template;
    const [container] = pod.containers;
    const keys = Object.fromEntries(
      container.env.map(({ name, valueFrom }: Variable) => [
        name,
        (valueFrom.secretKeyRef ?? valueFrom.configMapKeyRef)?.key,
      ]),
    );
    expect(spec).toMatchObject({ schedule: '17 3 * * *', concurrencyPolicy: 'Forbid' });
    expect(container.args).toEqual(['purge-audit']);
    expect(keys).toEqual({
      DATABASE_URL: 'url',
      HOLDFAST_MIGRATION_DATABASE_URL: 'migration-url',
      HOLDFAST_AUDIT_RETENTION_SECONDS: 'HOLDFAST_AUDIT_RETENTION_SECONDS',
    });
    const selectors = objects
      .filter(({ kind }) => kind === 'Service' || kind === 'Deployment' || kind === 'PodDisruptionBudget')
      .map(({ spec: { selector } }) => selector.matchLabels ?? selector);
    const isSelected = (labels: Record<string, string>) =>
      Object.entries(labels).every(([name, value]) => metadata.labels[name] === value);
    expect(selectors.length).toBeGreaterThan(1);
    expect(selectors.filter(isSelected)).toEqual([]);
  });

  test('gives a replica time to pause, to drain and, for 30 more seconds, to record before it is killed', async () => {
    const objects = await render();
    const { spec } = theOne(objects, 'Deployment', 'holdfast').spec.template;
    const config = objects.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('holdfast-config'),
    );
    const pause = Number(spec.containers[0].lifecycle.preStop.exec.command[1]);
    expect(spec.terminationGracePeriodSeconds).toBe(pause + Number(config?.data.HOLDFAST_DRAIN_SECONDS) + 30);
  });

  test('the readiness probe waits longer than the 2 seconds after which a replica reports a silent database', async () => {
    const [container] = theOne(await render(), 'Deployment', 'holdfast').spec.template.spec.containers;
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.readinessProbe.timeoutSeconds).toBeGreaterThan(2);
  });
});

type Variable = { name: string; valueFrom: Record<'secretKeyRef' | 'configMapKeyRef', { key: string } | undefined> };

const hardening = [
  ['runAsNonRoot', (pod) => delete pod.securityContext?.runAsNonRoot],
  ['runAsUser', (pod) => delete pod.securityContext?.runAsUser],
  ['seccompProfile', (pod) => delete pod.securityContext?.seccompProfile],
  ['enableServiceLinks', (pod) => delete pod.enableServiceLinks],
  ['automountServiceAccountToken', (pod) => delete pod.automountServiceAccountToken],
  ['allowPrivilegeEscalation', (pod) => delete pod.containers[0]?.securityContext?.allowPrivilegeEscalation],
  ['readOnlyRootFilesystem', (pod) => delete pod.containers[0]?.securityContext?.readOnlyRootFilesystem],
  ['capabilities', (pod) => delete pod.containers[0]?.securityContext?.capabilities],
] satisfies [string, (pod: PodSpec) => boolean][];

test.each(hardening)('detects a data-plane without %s', async (_, remove) => {
  const pod: PodSpec = theOne(await kustomized('overlays/production'), 'Deployment', 'holdfast').spec.template.spec;
  remove(pod);
  expect(restrictedFaults(pod)).toHaveLength(1);
});
