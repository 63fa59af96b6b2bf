import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError, parseConfig } from './parse-config.ts';

const pem = (type: 'ed25519' | 'x25519') =>
  generateKeyPairSync(type as 'ed25519')
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
const development = { HOLDFAST_ENV: 'development' };
const signingKey = pem('ed25519');
const encryptionKey = Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('base64');

function faultsOf(env: Record<string, string>): string[] {
  try {
    parseConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

test('development needs no settings, and each has a default', () => {
  const config = parseConfig({ ...development, PATH: '/bin', HOLDFAST_PORT: '' });
  expect(config).toMatchObject({
    http: { host: '127.0.0.1', port: 8080, bodyBytesMax: 4_194_304 },
    databaseUrl: null,
    logLevel: 'warn',
    keys: { signing: null },
    preview: { name: 'localhost', port: null, isSecure: false },
    sessions: { timeoutSeconds: 86_400, idleTimeoutSeconds: 3600 },
    agent: { installsPythonExtras: true, usesRegistrySettings: true },
  });
  expect(config.dataDir).toBe(`${process.cwd()}/.holdfast`);
});

test('production is the default and requires keys, a database and a runtime that isolates', () => {
  const names = faultsOf({}).map((fault) => fault.split(' ')[0]);
  expect(names).toEqual(['HOLDFAST_RUNTIME', 'DATABASE_URL', 'HOLDFAST_SIGNING_KEY', 'HOLDFAST_ENCRYPTION_KEY']);
  expect(faultsOf({ HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true' }).join()).toContain('HOLDFAST_INSECURE_SKIP_AGENT_AUTH');
});

test('metrics are on the public port in development alone, and only without a port of their own', () => {
  expect(parseConfig(development).metrics).toEqual({ port: null, isPublic: true });
  expect(parseConfig({ ...development, HOLDFAST_METRICS_PORT: '9090' }).metrics).toEqual({
    port: 9090,
    isPublic: false,
  });
  const secrets = { HOLDFAST_SIGNING_KEY: signingKey, HOLDFAST_ENCRYPTION_KEY: encryptionKey };
  const given = { DATABASE_URL: 'postgres://h/d', HOLDFAST_RUNTIME: 'kubernetes', HOLDFAST_PROFILES_FILE: '/p.json' };
  expect(parseConfig({ ...secrets, ...given }).metrics).toEqual({ port: null, isPublic: false });
});

test('a data-plane that serves is refused the role that owns the tables', () => {
  const faults = faultsOf({ ...development, HOLDFAST_MIGRATION_DATABASE_URL: 'postgres://owner@h/d' });
  expect(faults.join()).toContain('HOLDFAST_MIGRATION_DATABASE_URL is for the command migrate alone');
});

test('pages of other origins may call only if they are listed', () => {
  expect([...parseConfig(development).http.corsOrigins]).toEqual([]);
  const listed = { HOLDFAST_CORS_ORIGINS: 'https://a.example, http://localhost:5173' };
  const { corsOrigins } = parseConfig({ ...development, ...listed }).http;
  expect([...corsOrigins]).toEqual(['https://a.example', 'http://localhost:5173']);
});

test('the public key of development is refused in production', () => {
  const key = { HOLDFAST_BOOTSTRAP_API_KEY: 'holdfast-development-key-0000' };
  expect(faultsOf({ ...development, ...key })).toEqual([]);
  expect(faultsOf(key).join()).toContain('HOLDFAST_BOOTSTRAP_API_KEY is the public one');
});

test('the kubernetes runtime needs a database of its own and the list of profiles, in development too', () => {
  const faults = faultsOf({ ...development, HOLDFAST_RUNTIME: 'kubernetes' });
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['DATABASE_URL', 'HOLDFAST_PROFILES_FILE']);
});

test('the default budget is JSON with the limits that the API takes', () => {
  const budget = { iterations: 100, timeSeconds: 0.5, cost: '2.50' };
  expect(parseConfig(development).sessions.budget).toEqual({});
  expect(parseConfig({ ...development, HOLDFAST_DEFAULT_BUDGET: JSON.stringify(budget) }).sessions.budget).toEqual(
    budget,
  );
  for (const faulty of ['100', '{"iterations":-1}', '{"steps":5}', '{iterations:5}']) {
    const faults = faultsOf({ ...development, HOLDFAST_DEFAULT_BUDGET: faulty });
    expect(faults).toEqual([expect.stringContaining('HOLDFAST_DEFAULT_BUDGET must be JSON')]);
  }
});

const bucket = { ...development, HOLDFAST_S3_BUCKET: 'files' };

test('files are stored in Postgres without a bucket, and S3 is AWS unless an endpoint is given', () => {
  expect(parseConfig(development).s3).toBeNull();
  expect(parseConfig(development).files).toEqual({
    keptFileBytesMax: 268_435_456,
    keptStepBytesMax: 1_073_741_824,
    keptSessionBytesMax: 8_589_934_592,
    keptTenantBytesMax: 68_719_476_736,
    uploadBytesMax: 4_294_967_296,
  });
  expect(parseConfig(bucket).s3).toMatchObject({ endpoint: null, region: 'us-east-1', pathStyle: false, keys: null });
  const own = { ...bucket, HOLDFAST_S3_ENDPOINT: 'http://files:9000' };
  expect(parseConfig(own).s3).toMatchObject({ prefix: 'holdfast/', pathStyle: true });
  expect(parseConfig({ ...own, HOLDFAST_S3_PATH_STYLE: 'false' }).s3).toMatchObject({ pathStyle: false });
  const keys = { HOLDFAST_S3_ACCESS_KEY_ID: 'id', HOLDFAST_S3_SECRET_ACCESS_KEY: 'the-secret' };
  const config = parseConfig({ ...bucket, ...keys });
  expect(config.s3?.keys?.secret.reveal()).toBe('the-secret');
  expect(inspect(config, { depth: 10 }) + JSON.stringify(config)).not.toContain('the-secret');
});

test.each([
  [{ HOLDFAST_S3_REGION: 'eu-west-1' }, 'HOLDFAST_S3_BUCKET is required with HOLDFAST_S3_REGION'],
  [{ ...bucket, HOLDFAST_S3_ACCESS_KEY_ID: 'id' }, 'HOLDFAST_S3_SECRET_ACCESS_KEY is required'],
  [{ ...bucket, HOLDFAST_S3_SECRET_ACCESS_KEY: 'secret' }, 'HOLDFAST_S3_ACCESS_KEY_ID is required'],
  [{ ...bucket, HOLDFAST_S3_ENDPOINT: 'http://id:secret@files:9000' }, 'HOLDFAST_S3_ENDPOINT must be a URL'],
  [{ ...bucket, HOLDFAST_S3_BUCKET: 'Files' }, 'HOLDFAST_S3_BUCKET must be'],
  [{ HOLDFAST_UPLOAD_BYTES_MAX: '0' }, 'HOLDFAST_UPLOAD_BYTES_MAX must be at least 1'],
])('half a configuration of files is refused by name: %j', (env, fault) => {
  expect(faultsOf({ ...development, ...env })).toEqual([expect.stringContaining(fault)]);
});

const oidc = { HOLDFAST_OIDC_ISSUER: 'https://issuer.example/', HOLDFAST_OIDC_AUDIENCE: 'https://a.example, api' };

test('tokens of an issuer are taken for the audiences that are listed', () => {
  expect(parseConfig(development).oidc).toBeNull();
  expect(parseConfig({ ...development, ...oidc }).oidc).toEqual({
    issuer: 'https://issuer.example/',
    audiences: ['https://a.example', 'api'],
    jwksUrl: null,
    scopeClaim: 'scope',
    tenantClaim: null,
    publicUrl: null,
  });
  expect(faultsOf({ ...development, HOLDFAST_OIDC_ISSUER: oidc.HOLDFAST_OIDC_ISSUER })).toEqual([
    'HOLDFAST_OIDC_AUDIENCE is required with HOLDFAST_OIDC_ISSUER',
  ]);
  expect(faultsOf({ ...development, HOLDFAST_OIDC_TENANT_CLAIM: 'team' })).toHaveLength(2);
  const inProduction = faultsOf({ ...oidc, HOLDFAST_OIDC_ISSUER: 'http://issuer.example' }).join();
  expect(inProduction).toContain('HOLDFAST_OIDC_ISSUER must begin with https://');
  expect(inProduction).toContain('HOLDFAST_PUBLIC_URL is required with HOLDFAST_OIDC_ISSUER');
});

test('the container runtime isolates, so production takes it, and it finds its engine as the docker command does', () => {
  const engineOf = (env: object) =>
    parseConfig({ ...development, HOLDFAST_RUNTIME: 'container', ...env }).container.engine;
  expect(engineOf({})).toEqual({ socketPath: '/var/run/docker.sock' });
  expect(engineOf({ DOCKER_HOST: 'tcp://127.0.0.1:2375' })).toMatchObject({ host: '127.0.0.1', port: 2375 });
  const both = { DOCKER_HOST: 'tcp://127.0.0.1:2375', DOCKER_SOCKET_PATH: '/run/podman/podman.sock' };
  expect(engineOf(both)).toEqual({ socketPath: '/run/podman/podman.sock' });
  const names = faultsOf({ HOLDFAST_RUNTIME: 'container' }).map((fault) => fault.split(' ')[0]);
  expect(names).toEqual(['DATABASE_URL', 'HOLDFAST_SIGNING_KEY', 'HOLDFAST_ENCRYPTION_KEY']);
});

test.each([
  ['DOCKER_HOST', 'ssh://host', 'must be unix:///path or tcp://host:port'],
  ['DOCKER_SOCKET_PATH', 'docker.sock', 'must be an absolute path'],
  ['HOLDFAST_CONTAINER_SUBNET', '10.0.0.0/30', 'must be an IPv4 network'],
  ['HOLDFAST_CONTAINER_INTERNET', 'yes', 'must be true or false'],
  ['HOLDFAST_ENV', 'staging', 'must be production or development'],
  ['HOLDFAST_HOST', 'a host', 'must be an address or a host name'],
  ['HOLDFAST_PREVIEW_DOMAIN', 'https://example.com', 'must be a domain'],
  ['HOLDFAST_PREVIEW_DOMAIN', 'example.com:0', 'must be a domain'],
  ['HOLDFAST_PREVIEW_DOMAIN', '127.0.0.1', 'must be a domain'],
  ['HOLDFAST_CORS_ORIGINS', '*', 'must be origins such as'],
  ['HOLDFAST_CORS_ORIGINS', 'null', 'must be origins such as'],
  ['HOLDFAST_CORS_ORIGINS', 'https://a.example,https://b.example/', 'must be origins such as'],
  ['HOLDFAST_CORS_ORIGINS', 'https://A.example', 'must be origins such as'],
  ['HOLDFAST_CORS_ORIGINS', 'https://a.example:443', 'must be origins such as'],
  ['HOLDFAST_CORS_ORIGINS', 'ftp://a.example', 'must be origins such as'],
  ['HOLDFAST_PUBLIC_URL', 'https://a.example/path', 'must be an origin such as'],
  ['HOLDFAST_OIDC_AUDIENCE', 'a,', 'must be visible ASCII characters'],
  ['HOLDFAST_PORT', '80a', 'must be a whole number'],
  ['HOLDFAST_PORT', '-1', 'must be a whole number'],
  ['HOLDFAST_PORT', '65536', 'must be at most 65535'],
  ['DATABASE_URL', 'mysql://secret@host/db', 'must be a URL that begins with postgres://'],
  ['DATABASE_URL', 'postgres://me:secret@host/db?sslmode=strict', 'has an sslmode that is none of'],
  ['HOLDFAST_DATA_DIR', '/proc/x', 'must not be in /proc'],
  ['HOLDFAST_DATA_DIR', '/tmp/../sys', 'must not be in /proc'],
  ['HOLDFAST_DATA_DIR', '/dev/x', 'must not be in /proc'],
  ['HOLDFAST_RUNTIME', 'docker', 'must be process'],
  ['HOLDFAST_KUBERNETES_NAMESPACE', 'Sandboxes', 'must be 1 to 63 of'],
  ['HOLDFAST_SANDBOX_UID_RANGE', '2000-1000', 'must span at least 10000'],
  ['HOLDFAST_SANDBOX_UID_RANGE', '0-100000', 'must be two user ids'],
  ['HOLDFAST_SANDBOX_UID_RANGE', '1000000-3000000000', 'must span at least 10000'],
  ['HOLDFAST_BOOTSTRAP_API_KEY', 'short-secret', 'must be 24 to 512 visible ASCII characters'],
  ['HOLDFAST_BOOTSTRAP_TENANT', 'Default', 'must be 1 to 63 of'],
  ['HOLDFAST_SIGNING_KEY', 'no-key-secret', 'must be an Ed25519 private key'],
  ['HOLDFAST_SIGNING_KEY', pem('x25519'), 'must be an Ed25519 private key'],
  ['HOLDFAST_NEXT_SIGNING_KEY', 'bm8ga2V5', 'must be an Ed25519 private key'],
  ['HOLDFAST_ENCRYPTION_KEY', Buffer.alloc(32, 7).toString('base64'), 'must be random'],
  ['HOLDFAST_ENCRYPTION_KEY', Buffer.from('key!'.repeat(8)).toString('base64'), 'must be random'],
  ['HOLDFAST_ENCRYPTION_KEY', Buffer.alloc(31).toString('base64'), 'must be 32 bytes in base64'],
  ['HOLDFAST_DEPLOYMENT', 'a/b', 'must be 1 to 63 of'],
  ['HOLDFAST_DEPLOYMENT', '-a', 'must be 1 to 63 of'],
  ['HOLDFAST_INSECURE_SKIP_AGENT_AUTH', 'yes', 'must be true or false'],
  ['HOLDFAST_SESSION_TIMEOUT_SECONDS', '0', 'must be at least 1'],
  ['HOLDFAST_SESSION_IDLE_TIMEOUT_SECONDS', '604801', 'must be at most 604800'],
  ['HOLDFAST_STEP_TIMEOUT_SECONDS', '1.5', 'must be a whole number'],
  ['HOLDFAST_BODY_BYTES_MAX', '1e6', 'must be a whole number'],
  ['HOLDFAST_LOG_LEVEL', 'loud', 'must be a level such as info'],
  ['HOLDFAST_PROT', '8080', 'is not a known variable'],
])('%s=%s is named with its rule and without its value', (name, value, rule) => {
  const faults = faultsOf({ ...development, [name]: value }).filter((fault) => fault.startsWith(`${name} ${rule}`));
  expect(faults).toHaveLength(1);
  expect(faults.join()).not.toContain('secret');
});

test.each(['HOLDFAST_URL', 'HOLDFAST_API_KEY', 'HOLDFAST_SERVER'])('leaves out %s, which is for clients', (name) => {
  expect(parseConfig({ ...development, [name]: 'x' })).toEqual(parseConfig(development));
});

test('all faults are listed at once', () => {
  const faults = faultsOf({ HOLDFAST_PORT: 'x', HOLDFAST_TYPO: '1', HOLDFAST_LOG_LEVEL: 'x' });
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual(
    expect.arrayContaining(['HOLDFAST_PORT', 'HOLDFAST_TYPO', 'HOLDFAST_LOG_LEVEL', 'DATABASE_URL']),
  );
});

test('a signing key is taken as PEM and as base64 of it, and comes out as PEM', () => {
  for (const value of [signingKey, Buffer.from(signingKey).toString('base64')]) {
    const { keys } = parseConfig({
      ...development,
      HOLDFAST_SIGNING_KEY: value,
      HOLDFAST_ENCRYPTION_KEY: encryptionKey,
    });
    expect(keys.signing?.reveal()).toBe(signingKey);
    expect(keys.encryption?.reveal()).toBe(encryptionKey);
  }
});

test('no secret shows when the configuration is printed', () => {
  const secrets = {
    DATABASE_URL: 'postgres://user:database-password@host/db',
    HOLDFAST_BOOTSTRAP_API_KEY: 'bootstrap-key-0123456789abcdef',
    HOLDFAST_SIGNING_KEY: signingKey,
    HOLDFAST_ENCRYPTION_KEY: encryptionKey,
  };
  const config = parseConfig({ ...development, ...secrets });
  const printed = [JSON.stringify(config), inspect(config, { depth: 9, showHidden: true }), `${config.databaseUrl}`];
  for (const text of printed) {
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    expect(text).toContain('[redacted]');
  }
});

test('the configuration cannot be changed, at any depth', () => {
  const config = parseConfig(development);
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.http)).toBe(true);
});
