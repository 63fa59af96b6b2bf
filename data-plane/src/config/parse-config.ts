import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { conflictsBetween } from './conflicts-between.ts';
import { settings } from './settings.ts';

/** All faults of the environment, each beginning with the variable's name. */
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
  const isGiven = (name: string) => name in settings || (name.startsWith('HOLDFAST_') && !ofClients.has(name));
  const given = Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== '' && isGiven(name)));
  const parsed = z.strictObject(settings).safeParse(given);
  const faults = parsed.success ? [] : parsed.error.issues.flatMap(faultTexts);
  // Rules between variables are checked on the raw values, so that their faults are listed together with the rest.
  faults.push(...conflictsBetween(given));
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return deepFreeze(nest(parsed.data));
}

/** The shell in which a developer starts a server may have those of the clients. */
const ofClients: ReadonlySet<string> = new Set(['HOLDFAST_URL', 'HOLDFAST_API_KEY', 'HOLDFAST_SERVER']);

type Settings = z.output<z.ZodObject<typeof settings>>;

/** Texts never quote a value: some are secrets. */
export function faultTexts(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => `${name} is not a known variable`);
  return [`${String(issue.path[0])} ${issue.message}`];
}

function nest(given: Settings) {
  const isDevelopment = given.HOLDFAST_ENV === 'development';
  return {
    env: given.HOLDFAST_ENV,
    deployment: given.HOLDFAST_DEPLOYMENT,
    /** Absolute. */
    dataDir: resolve(given.HOLDFAST_DATA_DIR),
    runtime: given.HOLDFAST_RUNTIME,
    container: {
      engine: engineOf(given),
      subnet: given.HOLDFAST_CONTAINER_SUBNET,
      internet: given.HOLDFAST_CONTAINER_INTERNET,
      /** Null: the profiles of the images that the repository builds. */
      profilesFile: given.HOLDFAST_PROFILES_FILE ?? null,
    },
    kubernetes: {
      namespace: given.HOLDFAST_KUBERNETES_NAMESPACE,
      /** Null only with another runtime. */
      profilesFile: given.HOLDFAST_PROFILES_FILE ?? null,
      uidRange: given.HOLDFAST_SANDBOX_UID_RANGE,
      warmSeconds: given.HOLDFAST_WARM_SANDBOX_SECONDS,
    },
    logLevel: given.HOLDFAST_LOG_LEVEL ?? (isDevelopment ? ('warn' as const) : ('info' as const)),
    drainSeconds: given.HOLDFAST_DRAIN_SECONDS,
    http: {
      host: given.HOLDFAST_HOST,
      port: given.HOLDFAST_PORT,
      bodyBytesMax: given.HOLDFAST_BODY_BYTES_MAX,
      corsOrigins: given.HOLDFAST_CORS_ORIGINS,
    },
    /** Null: no port can be opened. */
    preview:
      given.HOLDFAST_PREVIEW_DOMAIN === undefined && isDevelopment
        ? localPreview
        : (given.HOLDFAST_PREVIEW_DOMAIN ?? null),
    metrics: {
      port: given.HOLDFAST_METRICS_PORT ?? null,
      isPublic: isDevelopment && given.HOLDFAST_METRICS_PORT === undefined,
    },
    /** Null: the embedded Postgres. */
    databaseUrl: given.DATABASE_URL ?? null,
    oidc: oidcOf(given),
    bootstrap: { apiKey: given.HOLDFAST_BOOTSTRAP_API_KEY ?? null, tenant: given.HOLDFAST_BOOTSTRAP_TENANT },
    /** PKCS8 PEM and base64; null: development makes one, and no rotation is under way. */
    keys: {
      signing: given.HOLDFAST_SIGNING_KEY ?? null,
      nextSigning: given.HOLDFAST_NEXT_SIGNING_KEY ?? null,
      previousSigning: given.HOLDFAST_PREVIOUS_SIGNING_KEY ?? null,
      encryption: given.HOLDFAST_ENCRYPTION_KEY ?? null,
      nextEncryption: given.HOLDFAST_NEXT_ENCRYPTION_KEY ?? null,
      previousEncryption: given.HOLDFAST_PREVIOUS_ENCRYPTION_KEY ?? null,
      /** Null also in development: a key that only this deployment has is of no use. */
      transfer: given.HOLDFAST_TRANSFER_KEY ?? null,
      nextTransfer: given.HOLDFAST_NEXT_TRANSFER_KEY ?? null,
      previousTransfer: given.HOLDFAST_PREVIOUS_TRANSFER_KEY ?? null,
    },
    agent: {
      insecureSkipAuth: given.HOLDFAST_INSECURE_SKIP_AGENT_AUTH,
      leaseSeconds: given.HOLDFAST_AGENT_LEASE_SECONDS,
      silenceSeconds: given.HOLDFAST_AGENT_SILENCE_SECONDS,
      python: given.HOLDFAST_PYTHON ?? null,
      installsPythonExtras: given.HOLDFAST_PYTHON_EXTRAS === 'install',
      usesRegistrySettings: given.HOLDFAST_REGISTRY_SETTINGS === 'machine',
      /** Null: the agent's own default. */
      pythonPreload: given.HOLDFAST_AGENT_PYTHON_PRELOAD ?? null,
    },
    sessions: {
      timeoutSeconds: given.HOLDFAST_SESSION_TIMEOUT_SECONDS,
      idleTimeoutSeconds: given.HOLDFAST_SESSION_IDLE_TIMEOUT_SECONDS,
      startSeconds: given.HOLDFAST_SESSION_START_SECONDS,
      perTenantMax: given.HOLDFAST_SESSIONS_MAX,
      processesMax: given.HOLDFAST_SESSION_PROCESSES_MAX,
      policy: given.HOLDFAST_DEFAULT_POLICY,
      budget: given.HOLDFAST_DEFAULT_BUDGET,
    },
    steps: {
      timeoutSeconds: given.HOLDFAST_STEP_TIMEOUT_SECONDS,
      graceSeconds: given.HOLDFAST_STEP_GRACE_SECONDS,
      operationSeconds: given.HOLDFAST_OPERATION_TIMEOUT_SECONDS,
      liveBytesMax: given.HOLDFAST_LIVE_BYTES_MAX ?? defaultLiveBytes(),
    },
    webhooks: { allowsPrivate: given.HOLDFAST_WEBHOOKS_ALLOW_PRIVATE },
    history: {
      stepsPerSessionMax: given.HOLDFAST_HISTORY_STEPS_MAX,
      bytesPerSessionMax: given.HOLDFAST_HISTORY_SESSION_BYTES_MAX,
      bytesPerTenantMax: given.HOLDFAST_HISTORY_TENANT_BYTES_MAX,
      retentionSeconds: given.HOLDFAST_HISTORY_RETENTION_SECONDS,
    },
    files: {
      keptFileBytesMax: given.HOLDFAST_KEPT_FILE_BYTES_MAX,
      keptStepBytesMax: given.HOLDFAST_KEPT_STEP_BYTES_MAX,
      keptSessionBytesMax: given.HOLDFAST_KEPT_SESSION_BYTES_MAX,
      keptTenantBytesMax: given.HOLDFAST_KEPT_TENANT_BYTES_MAX,
      uploadBytesMax: given.HOLDFAST_UPLOAD_BYTES_MAX,
    },
    s3: s3Of(given),
  };
}

const localPreview = { name: 'localhost', port: null, isSecure: false };

const gibibyte = 2 ** 30;

/**
 * 7 % of the memory limit of the process; without a limit, of the 1 GiB that our manifests set. So a replica under attack stays below half of
 * its limit, and a session still has room for the longest output and results that an agent sends for one step, which are 48 MiB.
 */
function defaultLiveBytes(): number {
  const limit = process.constrainedMemory();
  const isLimited = limit > 0 && limit < totalmem();
  return Math.max(64 * 2 ** 20, Math.floor(Math.min(isLimited ? limit : gibibyte, 8 * gibibyte) * 0.07));
}

/** The socket path is the more special of the two: DOCKER_HOST may be there for other programs. */
function engineOf({ DOCKER_SOCKET_PATH, DOCKER_HOST }: Settings) {
  if (DOCKER_SOCKET_PATH) return { socketPath: DOCKER_SOCKET_PATH };
  return DOCKER_HOST ?? { socketPath: '/var/run/docker.sock' };
}

/** Null: API keys are the only credentials. */
function oidcOf(given: Settings) {
  const { HOLDFAST_OIDC_ISSUER: issuer, HOLDFAST_OIDC_AUDIENCE: audiences } = given;
  if (issuer === undefined || audiences === undefined) return null;
  return {
    issuer,
    audiences,
    /** Null: the one in the issuer's discovery document. */
    jwksUrl: given.HOLDFAST_OIDC_JWKS_URL ?? null,
    scopeClaim: given.HOLDFAST_OIDC_SCOPE_CLAIM,
    /** Null: all tokens belong to the bootstrap tenant. */
    tenantClaim: given.HOLDFAST_OIDC_TENANT_CLAIM ?? null,
    /** Null: as a request names it. */
    publicUrl: given.HOLDFAST_PUBLIC_URL ?? null,
  };
}

/** Null: files are stored in Postgres. */
function s3Of(given: Settings) {
  if (!given.HOLDFAST_S3_BUCKET) return null;
  return {
    bucket: given.HOLDFAST_S3_BUCKET,
    /** Null: the region's own, of AWS. */
    endpoint: given.HOLDFAST_S3_ENDPOINT ?? null,
    region: given.HOLDFAST_S3_REGION,
    prefix: given.HOLDFAST_S3_PREFIX,
    /** Few servers but AWS's have a host name for every bucket. */
    pathStyle: given.HOLDFAST_S3_PATH_STYLE ?? given.HOLDFAST_S3_ENDPOINT !== undefined,
    keys: keysOfS3(given),
  };
}

/** Null: what the SDK finds by itself, such as the role of the pod's service account. */
function keysOfS3({ HOLDFAST_S3_ACCESS_KEY_ID: id, HOLDFAST_S3_SECRET_ACCESS_KEY: secret }: Settings) {
  return id && secret ? { id, secret } : null;
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (part && typeof part === 'object') deepFreeze(part);
  return Object.freeze(value);
}
