import { resolve } from 'node:path';
import { z } from 'zod';
import { knobs } from './knobs.ts';

/** Every fault of the environment at once, each beginning with the variable's name. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`the configuration has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n  ${faults.join('\n  ')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

export type Config = ReturnType<typeof nest>;

/**
 * The configuration from environment variables; an empty variable counts as absent.
 * @throws ConfigError
 */
export function parseConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' && (name in knobs || name.startsWith('HOLDFAST_'))),
  );
  const parsed = z.strictObject(knobs).safeParse(given);
  const faults = parsed.success ? [] : parsed.error.issues.flatMap(faultTexts);
  // Rules between variables hold for what is given, so that they are named together with the rest.
  faults.push(...conflicts(given));
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return deepFreeze(nest(parsed.data));
}

type Knobs = z.output<z.ZodObject<typeof knobs>>;

/** Texts never quote a value: some are secrets. */
function faultTexts(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => `${name} is not a known variable`);
  return [`${String(issue.path[0])} ${issue.message}`];
}

/** What the choice of a runtime, and production, refuse or demand. */
function conflicts(given: Record<string, string | undefined>): string[] {
  const onKubernetes = given.HOLDFAST_RUNTIME === 'kubernetes';
  const missing = (name: string) => onKubernetes && !given[name];
  return [
    ...(missing('DATABASE_URL') ? ['DATABASE_URL is required with HOLDFAST_RUNTIME=kubernetes'] : []),
    ...(missing('HOLDFAST_PROFILES_FILE')
      ? ['HOLDFAST_PROFILES_FILE is required with HOLDFAST_RUNTIME=kubernetes']
      : []),
    ...faultsOfS3(given),
    ...(given.HOLDFAST_ENV === 'development' ? [] : faultsInProduction(given)),
  ];
}

const s3Keys = ['HOLDFAST_S3_ACCESS_KEY_ID', 'HOLDFAST_S3_SECRET_ACCESS_KEY'] as const;

/** Half a configuration would keep files elsewhere than was meant. */
function faultsOfS3(given: Record<string, string | undefined>): string[] {
  const names = Object.keys(given).filter((name) => name.startsWith('HOLDFAST_S3_'));
  const [missing, ...more] = s3Keys.filter((name) => !given[name]);
  return [
    ...(names.length > 0 && !given.HOLDFAST_S3_BUCKET ? [`HOLDFAST_S3_BUCKET is required with ${names[0]}`] : []),
    ...(missing && more.length === 0 ? [`${missing} is required with ${s3Keys.find((name) => name !== missing)}`] : []),
  ];
}

/** The kind overlay's, which everybody can read. */
const publicApiKey = 'holdfast-development-key-0000';

function faultsInProduction(given: Record<string, string | undefined>): string[] {
  const skipsAuth = given.HOLDFAST_INSECURE_SKIP_AGENT_AUTH === 'true';
  const faults = {
    'HOLDFAST_RUNTIME process is no isolation boundary: it runs only with HOLDFAST_ENV=development':
      (given.HOLDFAST_RUNTIME ?? 'process') === 'process',
    'HOLDFAST_INSECURE_SKIP_AGENT_AUTH is refused outside of HOLDFAST_ENV=development': skipsAuth,
    'DATABASE_URL is required: the embedded Postgres runs only with HOLDFAST_ENV=development':
      !given.DATABASE_URL && given.HOLDFAST_RUNTIME !== 'kubernetes',
    'HOLDFAST_BOOTSTRAP_API_KEY is the public one of development: it is refused outside of HOLDFAST_ENV=development':
      given.HOLDFAST_BOOTSTRAP_API_KEY === publicApiKey,
    'HOLDFAST_SIGNING_KEY is required: it is made for you only with HOLDFAST_ENV=development':
      !given.HOLDFAST_SIGNING_KEY && !skipsAuth,
    'HOLDFAST_ENCRYPTION_KEY is required: it is made for you only with HOLDFAST_ENV=development':
      !given.HOLDFAST_ENCRYPTION_KEY,
  };
  return Object.entries(faults).flatMap(([text, applies]) => (applies ? [text] : []));
}

function nest(knob: Knobs) {
  const isDevelopment = knob.HOLDFAST_ENV === 'development';
  return {
    env: knob.HOLDFAST_ENV,
    deployment: knob.HOLDFAST_DEPLOYMENT,
    /** Absolute. */
    dataDir: resolve(knob.HOLDFAST_DATA_DIR),
    runtime: knob.HOLDFAST_RUNTIME,
    container: {
      engine: engineOf(knob),
      subnet: knob.HOLDFAST_CONTAINER_SUBNET,
      internet: knob.HOLDFAST_CONTAINER_INTERNET,
      /** Null: the profiles of the images that the repository builds. */
      profilesFile: knob.HOLDFAST_PROFILES_FILE ?? null,
    },
    kubernetes: {
      namespace: knob.HOLDFAST_KUBERNETES_NAMESPACE,
      /** Null only with another runtime. */
      profilesFile: knob.HOLDFAST_PROFILES_FILE ?? null,
      uidRange: knob.HOLDFAST_SANDBOX_UID_RANGE,
      warmSeconds: knob.HOLDFAST_WARM_SANDBOX_SECONDS,
    },
    logLevel: knob.HOLDFAST_LOG_LEVEL ?? (isDevelopment ? ('warn' as const) : ('info' as const)),
    drainSeconds: knob.HOLDFAST_DRAIN_SECONDS,
    http: { host: knob.HOLDFAST_HOST, port: knob.HOLDFAST_PORT, bodyBytesMax: knob.HOLDFAST_BODY_BYTES_MAX },
    /** Null: the embedded Postgres. */
    databaseUrl: knob.DATABASE_URL ?? null,
    bootstrap: { apiKey: knob.HOLDFAST_BOOTSTRAP_API_KEY ?? null, tenant: knob.HOLDFAST_BOOTSTRAP_TENANT },
    /** PKCS8 PEM and base64; null where development makes one. */
    keys: {
      signing: knob.HOLDFAST_SIGNING_KEY ?? null,
      nextSigning: knob.HOLDFAST_NEXT_SIGNING_KEY ?? null,
      encryption: knob.HOLDFAST_ENCRYPTION_KEY ?? null,
    },
    agent: {
      insecureSkipAuth: knob.HOLDFAST_INSECURE_SKIP_AGENT_AUTH,
      leaseSeconds: knob.HOLDFAST_AGENT_LEASE_SECONDS,
      python: knob.HOLDFAST_PYTHON ?? null,
      /** Null: the agent's own default. */
      pythonPreload: knob.HOLDFAST_AGENT_PYTHON_PRELOAD ?? null,
    },
    sessions: {
      timeoutSeconds: knob.HOLDFAST_SESSION_TIMEOUT_SECONDS,
      idleTimeoutSeconds: knob.HOLDFAST_SESSION_IDLE_TIMEOUT_SECONDS,
      startSeconds: knob.HOLDFAST_SESSION_START_SECONDS,
      perTenantMax: knob.HOLDFAST_SESSIONS_MAX,
    },
    steps: { timeoutSeconds: knob.HOLDFAST_STEP_TIMEOUT_SECONDS, graceSeconds: knob.HOLDFAST_STEP_GRACE_SECONDS },
    history: {
      stepsPerSessionMax: knob.HOLDFAST_HISTORY_STEPS_MAX,
      retentionSeconds: knob.HOLDFAST_HISTORY_RETENTION_SECONDS,
    },
    files: {
      keptFileBytesMax: knob.HOLDFAST_KEPT_FILE_BYTES_MAX,
      keptStepBytesMax: knob.HOLDFAST_KEPT_STEP_BYTES_MAX,
      keptSessionBytesMax: knob.HOLDFAST_KEPT_SESSION_BYTES_MAX,
      uploadBytesMax: knob.HOLDFAST_UPLOAD_BYTES_MAX,
    },
    s3: s3Of(knob),
  };
}

/** The socket path is the more special of the two: DOCKER_HOST may be there for other programs. */
function engineOf({ DOCKER_SOCKET_PATH, DOCKER_HOST }: Knobs) {
  if (DOCKER_SOCKET_PATH) return { socketPath: DOCKER_SOCKET_PATH };
  return DOCKER_HOST ?? { socketPath: '/var/run/docker.sock' };
}

/** Null: files are kept in Postgres. */
function s3Of(knob: Knobs) {
  if (!knob.HOLDFAST_S3_BUCKET) return null;
  return {
    bucket: knob.HOLDFAST_S3_BUCKET,
    /** Null: the region's own, of AWS. */
    endpoint: knob.HOLDFAST_S3_ENDPOINT ?? null,
    region: knob.HOLDFAST_S3_REGION,
    prefix: knob.HOLDFAST_S3_PREFIX,
    /** Few servers but AWS's have a host name for every bucket. */
    pathStyle: knob.HOLDFAST_S3_PATH_STYLE ?? knob.HOLDFAST_S3_ENDPOINT !== undefined,
    keys: keysOfS3(knob),
  };
}

/** Null: what the SDK finds by itself, such as the role of the pod's service account. */
function keysOfS3({ HOLDFAST_S3_ACCESS_KEY_ID: id, HOLDFAST_S3_SECRET_ACCESS_KEY: secret }: Knobs) {
  return id && secret ? { id, secret } : null;
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (part && typeof part === 'object') deepFreeze(part);
  return Object.freeze(value);
}
