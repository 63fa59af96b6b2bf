import { createPrivateKey } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { tenantSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { parseEngineAddress } from '../runtimes/container/engine-address.ts';
import { parseSubnet } from '../runtimes/container/subnets.ts';
import { Secret } from './secret.ts';

const seconds = (max: number) => whole(1, max);
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));
const flag = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');
const day = 86_400;

/** An Ed25519 private key: PKCS8 as PEM, or that in base64 for places that take one line only. */
const signingKey = z.string().transform((value, context) => {
  const pem = value.includes('-----BEGIN') ? value : Buffer.from(value, 'base64').toString();
  try {
    if (createPrivateKey(pem).asymmetricKeyType === 'ed25519') return new Secret(pem);
  } catch {
    // The cause could quote the key.
  }
  context.addIssue('must be an Ed25519 private key, as PKCS8 PEM or base64 of that');
  return z.NEVER;
});

const encryptionKey = z
  .string()
  .refine((value) => /^[A-Za-z0-9+/]{43}=$/.test(value), 'must be 32 bytes in base64')
  .transform((value) => new Secret(value));

const databaseUrl = z
  .string()
  .refine(
    (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value),
    'must be a URL that begins with postgres://',
  )
  .transform((value) => new Secret(value));

/** Directories cannot be made among the kernel's own files; Node tries it in `/proc` for ever. */
const dataDir = z
  .string()
  .refine(
    (value) => !/^\/(proc|sys|dev(?!\/shm\/))(\/|$)/.test(resolve(value)),
    'must not be in /proc, /sys or /dev (but /dev/shm)',
  );

const dnsLabel = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be 1 to 63 of a-z 0-9 -, neither first nor last a -');

/** The largest user id that the kernel and Kubernetes accept. */
const uidMax = 2 ** 31 - 2;

const uidRange = z
  .string()
  .regex(/^\d{4,10}-\d{4,10}$/, 'must be two user ids of 1000 or more, such as 1000000-2000000000')
  .transform((value) => {
    const [first = 0, last = 0] = value.split('-').map(Number);
    return { first, last };
  })
  .refine(
    ({ first, last }) => first >= 1000 && last <= uidMax && last - first >= 9999,
    `must span at least 10000 user ids between 1000 and ${uidMax}`,
  );

const engineAddress = z.string().transform((value, context) => {
  const address = parseEngineAddress(value);
  if (address) return address;
  context.addIssue('must be unix:///path or tcp://host:port, an engine whose containers this machine reaches');
  return z.NEVER;
});

const subnet = z.string().transform((value, context) => {
  const parsed = parseSubnet(value);
  if (parsed) return parsed;
  context.addIssue('must be an IPv4 network with a prefix of 8 to 28, such as 10.213.0.0/16');
  return z.NEVER;
});

/** S3 takes ten thousand parts of one object. */
const fileBytes = whole(1, 2 ** 36);

/** Without what a client of S3 would not send there: a name and password, a query. */
const httpUrl = z.string().refine((value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  return !!url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
}, 'must be a URL that begins with http:// or https://');

/** Every variable that the data-plane reads, its form and its default. */
export const settings = {
  HOLDFAST_ENV: z.enum(['production', 'development'], 'must be production or development').default('production'),
  HOLDFAST_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'must be an address or a host name')
    .default('127.0.0.1'),
  HOLDFAST_PORT: whole(0, 65_535).default(8080),
  DATABASE_URL: databaseUrl.optional(),
  HOLDFAST_DATA_DIR: dataDir.default('.holdfast'),
  HOLDFAST_RUNTIME: z
    .enum(['process', 'container', 'kubernetes'], 'must be process, container or kubernetes')
    .default('process'),
  DOCKER_SOCKET_PATH: z
    .string()
    .refine((value) => isAbsolute(value), 'must be an absolute path')
    .optional(),
  DOCKER_HOST: engineAddress.optional(),
  HOLDFAST_CONTAINER_SUBNET: subnet.prefault('10.213.0.0/16'),
  HOLDFAST_CONTAINER_INTERNET: flag.default(false),
  HOLDFAST_KUBERNETES_NAMESPACE: dnsLabel.default('holdfast-sandboxes'),
  HOLDFAST_PROFILES_FILE: z.string().optional(),
  HOLDFAST_SANDBOX_UID_RANGE: uidRange.default({ first: 1_000_000, last: 2_000_000_000 }),
  HOLDFAST_WARM_SANDBOX_SECONDS: seconds(7 * day).default(3600),
  HOLDFAST_BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{24,512}$/, 'must be 24 to 512 visible ASCII characters')
    .transform((value) => new Secret(value))
    .optional(),
  HOLDFAST_BOOTSTRAP_TENANT: tenantSchema.default('default'),
  HOLDFAST_SIGNING_KEY: signingKey.optional(),
  HOLDFAST_NEXT_SIGNING_KEY: signingKey.optional(),
  HOLDFAST_ENCRYPTION_KEY: encryptionKey.optional(),
  HOLDFAST_DEPLOYMENT: z
    .string()
    .regex(
      /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/,
      'must be 1 to 63 of A-Z a-z 0-9 . _ -, with a letter or digit first and last',
    )
    .default('holdfast'),
  HOLDFAST_INSECURE_SKIP_AGENT_AUTH: flag.default(false),
  HOLDFAST_SESSION_TIMEOUT_SECONDS: seconds(7 * day).default(day),
  HOLDFAST_SESSION_IDLE_TIMEOUT_SECONDS: seconds(7 * day).default(3600),
  HOLDFAST_STEP_TIMEOUT_SECONDS: seconds(day).default(300),
  HOLDFAST_STEP_GRACE_SECONDS: seconds(600).default(10),
  HOLDFAST_SESSION_START_SECONDS: seconds(3600).default(60),
  HOLDFAST_BODY_BYTES_MAX: whole(1024, 256 * 1024 * 1024).default(4 * 1024 * 1024),
  HOLDFAST_AGENT_LEASE_SECONDS: whole(2, day).default(120),
  HOLDFAST_DRAIN_SECONDS: whole(0, 3600).default(20),
  HOLDFAST_HISTORY_STEPS_MAX: whole(1, 10_000_000).default(10_000),
  HOLDFAST_HISTORY_RETENTION_SECONDS: seconds(3650 * day).default(30 * day),
  HOLDFAST_SESSIONS_MAX: whole(1, 1_000_000).default(100),
  HOLDFAST_KEPT_FILE_BYTES_MAX: fileBytes.default(256 * 2 ** 20),
  HOLDFAST_KEPT_STEP_BYTES_MAX: fileBytes.default(2 ** 30),
  HOLDFAST_KEPT_SESSION_BYTES_MAX: fileBytes.default(8 * 2 ** 30),
  HOLDFAST_UPLOAD_BYTES_MAX: fileBytes.default(4 * 2 ** 30),
  HOLDFAST_S3_BUCKET: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      'must be 3 to 63 of a-z 0-9 . -, with a letter or digit first and last',
    )
    .optional(),
  HOLDFAST_S3_ENDPOINT: httpUrl.optional(),
  HOLDFAST_S3_REGION: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,63}$/, 'must be 1 to 63 of A-Z a-z 0-9 -')
    .default('us-east-1'),
  HOLDFAST_S3_ACCESS_KEY_ID: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 visible ASCII characters')
    .optional(),
  HOLDFAST_S3_SECRET_ACCESS_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 visible ASCII characters')
    .transform((value) => new Secret(value))
    .optional(),
  HOLDFAST_S3_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9!_.*'()/-]{1,512}$/, "must be 1 to 512 of A-Z a-z 0-9 ! _ . * ' ( ) / -")
    .default('holdfast/'),
  HOLDFAST_S3_PATH_STYLE: flag.optional(),
  HOLDFAST_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], 'must be a level such as info')
    .optional(),
  HOLDFAST_PYTHON: z.string().optional(),
  HOLDFAST_AGENT_PYTHON_PRELOAD: z
    .string()
    .regex(/^[A-Za-z_][\w.]*(,[A-Za-z_][\w.]*)*$/, 'must be names of Python modules with commas between them, or none')
    .optional(),
};
