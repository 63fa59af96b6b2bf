import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { ConfigError, parseConfig } from '../../data-plane/src/config/parse-config.ts';
import { parseMigrationConfig } from '../../data-plane/src/config/parse-migration-config.ts';
import { parsePodProfiles } from '../../data-plane/src/runtimes/kubernetes/pod/pod-profile.ts';
import { type KubernetesObject, theOne } from './kubernetes-object.ts';
import { kustomized, templated } from './render.ts';

const renderings: [string, () => Promise<KubernetesObject[]>][] = [
  ['overlays/kind', () => kustomized('overlays/kind')],
  ['overlays/end-to-end', () => kustomized('overlays/end-to-end')],
  ['overlays/production', () => kustomized('overlays/production')],
  ['the chart', () => templated(['production'])],
  ['the chart with whole numbers', () => templated(['production', 'whole-numbers'])],
  ['the chart for development', () => templated(['development'])],
  ['the chart with everything', () => templated(['everything'], '--set=fullnameOverride=holdfast')],
];

test.each(renderings)('the data-plane starts with the variables of %s', async (_, render) => {
  const { runtime, http } = parseConfig(environmentOf(await render()));
  expect({ runtime, host: http.host, port: http.port }).toEqual({ runtime: 'kubernetes', host: '0.0.0.0', port: 8080 });
});

test.each(renderings)('the data-plane reads the profiles of %s', async (_, render) => {
  const profiles = (await render()).find(({ kind, data }) => kind === 'ConfigMap' && data['profiles.json']);
  expect(parsePodProfiles(profiles?.data['profiles.json'])[0]?.name).toBe('python');
});

test.each(renderings)('only the migration of %s gets the role that owns the tables', async (_, render) => {
  const objects = await render();
  const { ownerUrl, program } = parseMigrationConfig(environmentOf(objects, 'initContainers'));
  expect(ownerUrl.reveal()).toBe(secretValues['migration-url']);
  expect(program).toMatchObject({ name: 'holdfast_data_plane' });
  expect(Object.values(environmentOf(objects))).not.toContain(secretValues['migration-url']);
});

test('the retention of the audit log that is configured reaches the migration', async () => {
  const auditSecondsOf = async (...options: string[]) =>
    parseMigrationConfig(environmentOf(await templated(['production'], ...options), 'initContainers')).auditSeconds;
  expect(await auditSecondsOf()).toBe(31_536_000);
  expect(await auditSecondsOf('--set-string=config.HOLDFAST_AUDIT_RETENTION_SECONDS=86400')).toBe(86_400);
});

test('the URLs of the bundled Postgres are for two roles', async () => {
  const { data } = theOne(await templated(['bundled-postgres']), 'Secret', 'holdfast-database');
  const [own, owner] = [data.url, data['migration-url']].map((url) => new URL(Buffer.from(url, 'base64').toString()));
  expect([own?.username, owner?.username]).toEqual(['holdfast_data_plane', 'holdfast']);
  expect(own?.password).not.toBe(owner?.password);
  expect(Buffer.from(data.password, 'base64').toString()).toBe(owner?.password);
});

test('certificates of the database reach both containers as the file that the URL names', async () => {
  const options = [
    'database.existingSecret=',
    'database.url=postgres://h/d',
    'database.certificates=-----BEGIN CERTIFICATE-----',
  ];
  const objects = await templated(['production'], ...options.map((option) => `--set=${option}`));
  const { initContainers, containers, volumes } = theOne(objects, 'Deployment', 'holdfast').spec.template.spec;
  for (const { volumeMounts } of [...initContainers, ...containers]) {
    expect(volumeMounts).toContainEqual({ name: 'database', mountPath: '/etc/holdfast-database', readOnly: true });
  }
  const { secret } = volumes.find(({ name }: { name: string }) => name === 'database');
  const { metadata, data } = theOne(objects, 'Secret', secret.secretName);
  expect([metadata.name, Object.keys(data).sort()]).toEqual(['holdfast-database', ['ca.crt', 'url']]);
  expect(secret.items).toEqual([{ key: 'ca.crt', path: 'ca.crt' }]);
});

test('the data-plane rejects an unknown variable', async () => {
  const environment = environmentOf(await kustomized('overlays/production'));
  expect(() => parseConfig({ ...environment, HOLDFAST_SESSION_MAX: '5' })).toThrow(ConfigError);
});

test('the chart and the data-plane refuse the bypass in production', async () => {
  await expect(templated(['production'], '--set=insecureSkipAgentAuth=true')).rejects.toThrow(/insecureSkipAgentAuth/);
  const environment = environmentOf(await kustomized('overlays/kind'));
  expect(() => parseConfig({ ...environment, HOLDFAST_ENV: 'production' })).toThrow(/SKIP_AGENT_AUTH/);
});

test('the kind overlay names no key material', async () => {
  expect(
    Object.keys(environmentOf(await kustomized('overlays/kind'))).filter((name) => /SIGNING|ENCRYPTION/.test(name)),
  ).toEqual([]);
});

const signingKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Values of the Secrets, by the keys that deploy/install and the chart use. */
const secretValues: Record<string, string> = {
  url: 'postgres://holdfast_data_plane:password@postgres:5432/holdfast',
  'migration-url': 'postgres://holdfast:password-of-the-owner@postgres:5432/holdfast',
  'signing-key': signingKey,
  'next-signing-key': signingKey,
  'encryption-key': randomBytes(32).toString('base64'),
  'api-key': 'a'.repeat(40),
  'access-key-id': 'an-access-key',
  'secret-access-key': 'its-secret',
};

type EnvVar = {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { key: string }; configMapKeyRef?: { name: string; key: string } };
};

/** The environment of the first container of a kind, with sample values for Secrets. */
function environmentOf(
  objects: KubernetesObject[],
  kind: 'containers' | 'initContainers' = 'containers',
): Record<string, string> {
  const [container] = theOne(objects, 'Deployment', 'holdfast').spec.template.spec[kind];
  const config = container.envFrom && theOne(objects, 'ConfigMap', container.envFrom[0].configMapRef.name);
  const own = container.env.flatMap(({ name, value, valueFrom }: EnvVar) => {
    const { secretKeyRef, configMapKeyRef: setting } = valueFrom ?? {};
    if (!setting) return [[name, value ?? secretValues[secretKeyRef?.key ?? '']]];
    const set = theOne(objects, 'ConfigMap', setting.name).data[setting.key];
    return set === undefined ? [] : [[name, set]];
  });
  return { ...config?.data, ...Object.fromEntries(own) };
}
