import { expect, test } from 'vitest';
import { type KubernetesObject, objectsOf, theOne } from './kubernetes-object.ts';
import { templated, templatedText } from './render.ts';

type Way = { option: (name: string, index: number) => string; fault: (name: string, index: number) => string };

const config: Way = {
  option: (name) => `--set=config.${name}=1`,
  fault: (name) => `invalid propertyName '${name}'`,
};
const extraEnv: Way = {
  option: (name, index) => `--set=extraEnv[${index}].name=${name}`,
  fault: (_, index) => `at '/extraEnv/${index}/name': 'not' failed`,
};

const s3 = ['bucket=files', 'endpoint=https://files.example.com', 'pathStyle=true', 'existingSecret=s3'].map(
  (value) => `--set=s3.${value}`,
);

const issuer = 'https://login.example.com';
const oidc = [`issuer=${issuer}`, 'audience=a', `jwksUrl=${issuer}/keys`, 'scopeClaim=scp', 'tenantClaim=team']
  .map((value) => `--set=oidc.${value}`)
  .concat('--set=publicUrl=https://holdfast.example.com');

test.each([
  ['config', config],
  ['extraEnv', extraEnv],
])(
  'a variable that the chart sets cannot be set by %s, which would bypass its checks',
  async (_, { option, fault }) => {
    const names = [
      ...new Set([
        ...variablesOf(await templated(['production'], '--set=apiKey.tenant=acme')),
        ...variablesOf(await templated(['development'])),
        ...variablesOf(await templated(['production'], ...s3, ...oidc, '--set=preview.domain=preview.example.com')),
      ]),
    ];
    expect(names).toEqual(expect.arrayContaining(['HOLDFAST_INSECURE_SKIP_AGENT_AUTH', 'HOLDFAST_SIGNING_KEY']));
    expect(names).toEqual(expect.arrayContaining(['HOLDFAST_S3_PATH_STYLE', 'HOLDFAST_S3_ACCESS_KEY_ID']));
    expect(names).toContain('HOLDFAST_MIGRATION_DATABASE_URL');
    expect(names).toEqual(expect.arrayContaining(['HOLDFAST_OIDC_JWKS_URL', 'HOLDFAST_PUBLIC_URL']));
    const refusal = await templated(['production'], ...names.map(option)).then(
      () => 'none',
      (error: Error) => error.message,
    );
    expect(names.filter((name, index) => !refusal.includes(fault(name, index)))).toEqual([]);
  },
);

test('an issuer of tokens needs an audience and the public address', async () => {
  const only = (...names: string[]) =>
    templated(['production'], ...oidc.filter((option) => names.some((name) => option.includes(name))));
  await expect(only('issuer=', 'publicUrl=')).rejects.toThrow(/both issuer and audience/);
  await expect(only('issuer=', 'audience=')).rejects.toThrow(/oidc needs publicUrl/);
  const { data } = theOne(await templated(['production'], ...oidc), 'ConfigMap', 'holdfast-config');
  expect(data).toMatchObject({ HOLDFAST_OIDC_ISSUER: issuer, HOLDFAST_OIDC_TENANT_CLAIM: 'team' });
});

test('if schema validation is skipped, the environment of the values still overrides config', async () => {
  const objects = await templated(['production'], '--set=config.HOLDFAST_ENV=development', '--skip-schema-validation');
  expect(theOne(objects, 'ConfigMap', 'holdfast-config').data.HOLDFAST_ENV).toBe('production');
});

test('renders whole numbers of a values file as they were written', async () => {
  const text = await templatedText(['production', 'whole-numbers']);
  expect(text).not.toMatch(/\de\+\d/);
  const objects = objectsOf(text);
  expect(theOne(objects, 'ConfigMap', 'holdfast-config').data).toMatchObject({
    HOLDFAST_BODY_BYTES_MAX: '4194304',
    HOLDFAST_KEPT_SESSION_BYTES_MAX: '17179869184',
  });
  expect(objects.find(({ kind }) => kind === 'PriorityClass')?.value).toBe(-1_000_000_000);
  expect(theOne(objects, 'Deployment', 'holdfast').spec.template.spec.securityContext.runAsUser).toBe(1_000_670_000);
});

type Variable = { name: string; valueFrom?: { configMapKeyRef?: object } };

function variablesOf(objects: KubernetesObject[]): string[] {
  const { initContainers, containers } = theOne(objects, 'Deployment', 'holdfast').spec.template.spec;
  // A variable that takes its value from the configuration is set there.
  const own = [...initContainers, ...containers].flatMap(({ env }) =>
    env.flatMap(({ name, valueFrom }: Variable) => (valueFrom?.configMapKeyRef ? [] : [name])),
  );
  return [...Object.keys(theOne(objects, 'ConfigMap', 'holdfast-config').data), ...own];
}
