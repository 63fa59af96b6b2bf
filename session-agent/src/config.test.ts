import { expect, test } from 'vitest';
import { ConfigError, parseConfig } from './config.ts';

const key = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), kid: 'a' };
const keySet = (...keys: object[]) => JSON.stringify({ keys });
const minimal = {
  HOLDFAST_SANDBOX_UID: 'uid_1',
  HOLDFAST_WORKSPACE: '/',
  HOLDFAST_AGENT_ISSUER: 'holdfast',
  HOLDFAST_AGENT_TOKEN_KEYS: keySet(key),
};

function faultsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    parseConfig({ ...minimal, ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

test('has safe defaults', () => {
  expect(parseConfig(minimal)).toMatchObject({
    environment: 'production',
    host: '127.0.0.1',
    port: 0,
    readyFd: null,
    leaseMs: 120_000,
    unboundMs: 120_000,
    auth: { bypassed: false, issuer: 'holdfast', keys: [key] },
  });
});

test('lets an unbound agent wait as long as the lease by default', () => {
  const lease = { ...minimal, HOLDFAST_AGENT_LEASE_SECONDS: '30' };
  expect(parseConfig(lease)).toMatchObject({ leaseMs: 30_000, unboundMs: 30_000 });
  const both = { ...lease, HOLDFAST_AGENT_UNBOUND_SECONDS: '3600' };
  expect(parseConfig(both)).toMatchObject({ leaseMs: 30_000, unboundMs: 3_600_000 });
});

test.for([
  [undefined, ['asyncio', 'numpy', 'pandas']],
  ['none', []],
  ['scipy.stats,polars', ['scipy.stats', 'polars']],
] as const)('reads the libraries to preload as names with commas between them: %s', ([value, preload]) => {
  expect(parseConfig({ ...minimal, HOLDFAST_AGENT_PYTHON_PRELOAD: value }).kernels.preload).toEqual(preload);
});

test.for(['numpy pandas', '-c', 'os;x', ','])('rejects a value that is not a list of modules: %s', (value) => {
  expect(faultsOf({ HOLDFAST_AGENT_PYTHON_PRELOAD: value }).join()).toContain('HOLDFAST_AGENT_PYTHON_PRELOAD must be');
});

test('names its user only if its profile has a name and its image a place for it', () => {
  const [name, accounts] = [{ HOLDFAST_SANDBOX_USER: 'user' }, { HOLDFAST_AGENT_ACCOUNTS: '/tmp/accounts' }];
  expect(parseConfig({ ...minimal, ...name, ...accounts }).user).toEqual({ name: 'user', accounts: '/tmp/accounts' });
  for (const one of [{}, name, accounts]) expect(parseConfig({ ...minimal, ...one }).user).toBeNull();
  expect(faultsOf({ HOLDFAST_SANDBOX_USER: 'a:b' })).toEqual(['HOLDFAST_SANDBOX_USER must be the name of a user']);
});

test('keeps its temporary files apart from those of the programs only if it is told to', () => {
  const tmp = { ...minimal, TMPDIR: '/var/tmp' };
  expect(parseConfig(tmp).kernels).toMatchObject({ tmp: '/var/tmp', agentTmp: '/var/tmp' });
  const apart = parseConfig({ ...tmp, HOLDFAST_AGENT_TMP: '/tmp' }).kernels;
  expect(apart).toMatchObject({ tmp: '/var/tmp', agentTmp: '/tmp' });
  for (const value of ['tmp', '/nowhere']) {
    expect(faultsOf({ HOLDFAST_AGENT_TMP: value }).join()).toContain('HOLDFAST_AGENT_TMP must be');
  }
});

test('reads the variables of all programs as JSON', () => {
  const env = { PIP_INDEX_URL: 'https://example', no_proxy: 'a,b' };
  expect(parseConfig({ ...minimal, HOLDFAST_SANDBOX_ENV: JSON.stringify(env) }).kernels.env).toEqual(env);
  for (const value of ['{', '[]', '{"A": 1}']) {
    expect(faultsOf({ HOLDFAST_SANDBOX_ENV: value }).join()).toContain('HOLDFAST_SANDBOX_ENV must be');
  }
});

test('requires only the development environment for the bypass', () => {
  const bypass = {
    HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true',
    HOLDFAST_AGENT_TOKEN_KEYS: '',
    HOLDFAST_AGENT_ISSUER: '',
  };
  expect(faultsOf({ ...bypass, HOLDFAST_ENV: 'development' })).toEqual([]);
  for (const environment of [undefined, '', 'production', 'prod']) {
    expect(faultsOf({ ...bypass, HOLDFAST_ENV: environment }).join()).toContain('HOLDFAST_INSECURE_SKIP_AGENT_AUTH');
  }
  expect(faultsOf({ ...bypass, HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'yes' })).toHaveLength(3);
});

test.for([
  ['no keys', keySet()],
  ['four keys', keySet(key, key, key, key)],
  ['a private key', keySet({ ...key, d: 'A'.repeat(43) })],
  ['a key of another kind', keySet({ ...key, crv: 'X25519' })],
  ['a key without kid', keySet({ ...key, kid: undefined })],
  ['not JSON', '{'],
])('rejects token keys: %s', ([, keys]) => {
  expect(faultsOf({ HOLDFAST_AGENT_TOKEN_KEYS: keys })).toHaveLength(1);
});

test('names all faults at once', () => {
  const faults = faultsOf({
    HOLDFAST_SANDBOX_UID: undefined,
    HOLDFAST_WORKSPACE: 'here',
    HOLDFAST_AGENT_PORT: '70000',
    HOLDFAST_AGENT_ISSUER: undefined,
    HOLDFAST_STOP_GRACE_MS: '-1',
  });
  expect(faults.map((fault) => fault.split(' ')[0]).toSorted()).toEqual([
    'HOLDFAST_AGENT_ISSUER',
    'HOLDFAST_AGENT_PORT',
    'HOLDFAST_SANDBOX_UID',
    'HOLDFAST_STOP_GRACE_MS',
    'HOLDFAST_WORKSPACE',
  ]);
});
