import { createPrivateKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { theOne } from './kubernetes-object.ts';
import { templated } from './render.ts';

const decoded = (text: string) => Buffer.from(text, 'base64').toString();

test.each([
  ['a misspelt value', ['--set=replicaCont=3'], /replicaCont/],
  ['a misspelt value far inside', ['--set=sandboxes.resourceQuota.enable=false'], /enable/],
  ['a value outside the choices', ['--set=image.pullPolicy=Sometimes'], /pullPolicy/],
  ['a variable that the data-plane does not have', ['--set=config.DATABASE_URL=x'], /DATABASE_URL/],
  ['two databases', ['--set=postgresql.enabled=true'], /exactly one of/],
  ['a second URL for a Secret', ['--set=database.migrationUrl=postgres://h/d'], /migration-url/],
  ['an ingress for ports without a domain', ['--set=preview.ingress.enabled=true'], /preview.domain/],
  [
    'an API below the domain of ports',
    ['--set=preview.domain=example.com,ingress.hosts[0].host=api.example.com', '--set-json=ingress.hosts[0].paths=[]'],
    /below preview.domain/,
  ],
  ['no database', ['--set=database.existingSecret='], /exactly one of/],
])('the chart rejects %s', async (_, options, message) => {
  await expect(templated(['production'], ...options)).rejects.toThrow(message);
});

test('keys that the chart makes have the form that the data-plane reads, and stay after an uninstall', async () => {
  const objects = await templated(['bundled-postgres']);
  const keys = theOne(objects, 'Secret', 'holdfast-keys');
  expect(createPrivateKey(decoded(keys.data['signing-key'])).asymmetricKeyType).toBe('ed25519');
  expect(Buffer.from(decoded(keys.data['encryption-key']), 'base64')).toHaveLength(32);
  const database = theOne(objects, 'Secret', 'holdfast-database');
  expect(decoded(database.data['migration-url'])).toContain(decoded(database.data.password));
  const secrets = objects.filter(({ kind }) => kind === 'Secret');
  expect(secrets.map(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'])).toEqual([
    'keep',
    'keep',
    'keep',
  ]);
});

test('with existing Secrets the chart makes none', async () => {
  expect((await templated(['production'])).filter(({ kind }) => kind === 'Secret')).toEqual([]);
});

test('the job that deletes old entries of the audit log can be left out, and has the schedule of its value', async () => {
  const named = async (...options: string[]) =>
    (await templated(['production'], ...options)).filter(
      ({ metadata }) => metadata.name === 'holdfast-audit-retention',
    );
  expect(await named('--set=auditRetention.enabled=false')).toEqual([]);
  const [job] = (await named('--set=auditRetention.schedule=5 4 * * 0')).filter(({ kind }) => kind === 'CronJob');
  expect(job?.spec.schedule).toBe('5 4 * * 0');
});

test('a cluster without the Prometheus Operator gets no PodMonitor', async () => {
  expect((await templated(['production'])).filter(({ kind }) => kind === 'PodMonitor')).toEqual([]);
});

test('a changed configuration replaces the pods', async () => {
  const annotations = async (...options: string[]) =>
    theOne(await templated(['production'], ...options), 'Deployment', 'holdfast').spec.template.metadata.annotations;
  const before = await annotations();
  expect(await annotations()).toEqual(before);
  expect(await annotations('--set=config.HOLDFAST_SESSIONS_MAX=7')).not.toEqual(before);
  expect(await annotations('--set=sandboxes.profiles[0].warm.none=7')).not.toEqual(before);
});

test('a password in database.url reaches only its Secret, and no hash of it reaches other objects', async () => {
  const readable = async (password: string) => {
    const url = `--set=database.existingSecret=,database.url=postgres://holdfast:${password}@postgres:5432/holdfast`;
    return (await templated(['production'], url)).filter(({ kind }) => kind !== 'Secret');
  };
  expect(await readable('one')).toEqual(await readable('another'));
});

test.each([
  ['1.25', undefined],
  ['1.26', 'AlwaysAllow'],
])('the disruption budget for Kubernetes %s has the fields of that version', async (version, policy) => {
  const budget = theOne(
    await templated(['production'], `--kube-version=${version}`),
    'PodDisruptionBudget',
    'holdfast',
  );
  expect(budget.spec.unhealthyPodEvictionPolicy).toBe(policy);
});

test('ports of sandboxes are reachable only with a domain and an ingress for all hosts below it', async () => {
  const ingresses = async (values: string[]) => (await templated(values)).filter(({ kind }) => kind === 'Ingress');
  expect(await ingresses(['production'])).toEqual([]);
  const objects = await templated(['everything']);
  const ingress = theOne(objects, 'Ingress', 'interpreters-preview');
  expect(ingress.spec.rules.map(({ host }: { host: string }) => host)).toEqual(['*.preview.example.com']);
  expect(ingress.spec.tls).toEqual([{ secretName: 'preview-tls', hosts: ['*.preview.example.com'] }]);
  const settings = (of: typeof objects, name: string) => theOne(of, 'ConfigMap', name).data.HOLDFAST_PREVIEW_DOMAIN;
  expect(settings(objects, 'interpreters-config')).toBe('preview.example.com:8443');
  expect(settings(await templated(['production']), 'holdfast-config')).toBeUndefined();
});
