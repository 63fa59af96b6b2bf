import { isAbsolute } from 'node:path';
import { tenantSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { Secret } from './secret.ts';
import {
  audiences,
  budgetLimits,
  claimName,
  databaseUrl,
  dataDir,
  dnsLabel,
  encryptionKey,
  engineAddress,
  fileBytes,
  flag,
  httpUrl,
  origin,
  origins,
  policy,
  previewDomain,
  signingKey,
  subnet,
  uidRange,
  whole,
} from './setting-forms.ts';

const seconds = (max: number) => whole(1, max);
const day = 86_400;

/** Every variable that the data-plane reads, its form and its default. */
export const settings = {
  /** `production` requires keys, a database and a runtime that isolates; `development` makes what is missing. */
  HOLDFAST_ENV: z.enum(['production', 'development'], 'must be production or development').default('production'),
  /** The address on which the API listens. */
  HOLDFAST_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'must be an address or a host name')
    .default('127.0.0.1'),
  HOLDFAST_PORT: whole(0, 65_535).default(8080),
  /** The domain of the host names of ports, with its port if that is not the usual one. Absent: `localhost` in development, else `none`. */
  HOLDFAST_PREVIEW_DOMAIN: previewDomain.optional(),
  /** The origins of the pages that may call the API from a browser, each with a key of its own, separated by commas. */
  HOLDFAST_CORS_ORIGINS: origins.prefault(''),
  /** The port of `/metrics`. Without it, production serves no metrics, and development serves them on the public port. */
  HOLDFAST_METRICS_PORT: whole(0, 65_535).optional(),
  /** Absent: the embedded Postgres, in development only. */
  DATABASE_URL: databaseUrl.optional(),
  /** The role that owns the tables, for the commands `migrate` and `purge-audit` alone. */
  HOLDFAST_MIGRATION_DATABASE_URL: databaseUrl.optional(),
  /** How long the audit log keeps its entries, for the command `purge-audit` alone. */
  HOLDFAST_AUDIT_RETENTION_SECONDS: seconds(36_500 * day).default(365 * day),
  /** The embedded Postgres, generated keys and the sandboxes of the process runtime. */
  HOLDFAST_DATA_DIR: dataDir.default('.holdfast'),
  /** The driver that launches sandboxes. */
  HOLDFAST_RUNTIME: z
    .enum(['process', 'container', 'kubernetes'], 'must be process, container or kubernetes')
    .default('process'),
  /** The container engine. The socket is preferred, because DOCKER_HOST may be set for other programs. */
  DOCKER_SOCKET_PATH: z
    .string()
    .refine((value) => isAbsolute(value), 'must be an absolute path')
    .optional(),
  DOCKER_HOST: engineAddress.optional(),
  /** The addresses of sandboxes that are containers. */
  HOLDFAST_CONTAINER_SUBNET: subnet.prefault('10.213.0.0/16'),
  /** Whether sandboxes that are containers may have the network class `internet`. */
  HOLDFAST_CONTAINER_INTERNET: flag.default(false),
  /** The namespace of the sandboxes. */
  HOLDFAST_KUBERNETES_NAMESPACE: dnsLabel.default('holdfast-sandboxes'),
  /** The profiles that sessions can ask for, as a file; the kubernetes runtime requires it. */
  HOLDFAST_PROFILES_FILE: z.string().optional(),
  /** The user ids of sandboxes on Kubernetes. */
  HOLDFAST_SANDBOX_UID_RANGE: uidRange.default({ first: 1_000_000, last: 2_000_000_000 }),
  /** The maximum age of a sandbox in a warm pool. */
  HOLDFAST_WARM_SANDBOX_SECONDS: seconds(7 * day).default(3600),
  /** The first API key, and the tenant that both it and requests without a key belong to. */
  HOLDFAST_BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{24,512}$/, 'must be 24 to 512 visible ASCII characters')
    .transform((value) => new Secret(value))
    .optional(),
  HOLDFAST_BOOTSTRAP_TENANT: tenantSchema.default('default'),
  /** The issuer whose tokens are taken beside API keys (OpenID Connect), and the audience that they must have, or one of several with commas between them. */
  HOLDFAST_OIDC_ISSUER: httpUrl.optional(),
  HOLDFAST_OIDC_AUDIENCE: audiences.optional(),
  /** The address of the issuer's keys. Absent: the one in its discovery document. */
  HOLDFAST_OIDC_JWKS_URL: httpUrl.optional(),
  /** The claim with the scopes `holdfast:run`, `holdfast:host` and `holdfast:admin`, as a list or with spaces between them. */
  HOLDFAST_OIDC_SCOPE_CLAIM: claimName.default('scope'),
  /** The claim with the tenant. Absent: all tokens belong to HOLDFAST_BOOTSTRAP_TENANT. */
  HOLDFAST_OIDC_TENANT_CLAIM: claimName.optional(),
  /** The origin under which clients reach the API, which tokens are for. Absent: as a request names it. */
  HOLDFAST_PUBLIC_URL: origin.optional(),
  /** The keys that sign tokens for agents: the current one, and the next and the previous one during a rotation. */
  HOLDFAST_SIGNING_KEY: signingKey.optional(),
  HOLDFAST_NEXT_SIGNING_KEY: signingKey.optional(),
  HOLDFAST_PREVIOUS_SIGNING_KEY: signingKey.optional(),
  /** Seals secrets in the registry and signs URLs. The next and the previous one open and verify during a rotation. */
  HOLDFAST_ENCRYPTION_KEY: encryptionKey.optional(),
  HOLDFAST_NEXT_ENCRYPTION_KEY: encryptionKey.optional(),
  HOLDFAST_PREVIOUS_ENCRYPTION_KEY: encryptionKey.optional(),
  /** Signs snapshots that move between the deployments of one operator, which share it. Without it, none can be moved. */
  HOLDFAST_TRANSFER_KEY: encryptionKey.optional(),
  HOLDFAST_NEXT_TRANSFER_KEY: encryptionKey.optional(),
  HOLDFAST_PREVIOUS_TRANSFER_KEY: encryptionKey.optional(),
  /** The name of this deployment, by which it knows its own sandboxes. */
  HOLDFAST_DEPLOYMENT: z
    .string()
    .regex(
      /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/,
      'must be 1 to 63 of A-Z a-z 0-9 . _ -, with a letter or digit first and last',
    )
    .default('holdfast'),
  /** Sends agents unsigned claims instead of tokens; development only. */
  HOLDFAST_INSECURE_SKIP_AGENT_AUTH: flag.default(false),
  /** Timeouts of sessions and steps that ask for none, and the grace between the end of a step and its loss. */
  HOLDFAST_SESSION_TIMEOUT_SECONDS: seconds(7 * day).default(day),
  HOLDFAST_SESSION_IDLE_TIMEOUT_SECONDS: seconds(7 * day).default(3600),
  HOLDFAST_STEP_TIMEOUT_SECONDS: seconds(day).default(300),
  HOLDFAST_OPERATION_TIMEOUT_SECONDS: seconds(day).default(300),
  HOLDFAST_STEP_GRACE_SECONDS: seconds(600).default(10),
  /** The budget of sessions that ask for none, as JSON. A key without the scope `host` cannot exceed it. */
  HOLDFAST_DEFAULT_BUDGET: budgetLimits.prefault('{}'),
  /** The memory of a replica for output of steps that is not yet recorded. Absent: 7 % of the memory that it may use. */
  HOLDFAST_LIVE_BYTES_MAX: whole(64 * 2 ** 20, 64 * 2 ** 30).optional(),
  /** The policy of sessions that ask for no other: a preset's name, or rules as JSON. */
  HOLDFAST_DEFAULT_POLICY: policy.default('unrestricted'),
  /** How long a sandbox may take to start. */
  HOLDFAST_SESSION_START_SECONDS: seconds(3600).default(60),
  /** The limit of a JSON body. */
  HOLDFAST_BODY_BYTES_MAX: whole(1024, 256 * 1024 * 1024).default(4 * 1024 * 1024),
  /** A sandbox that hears nothing for this long ends itself. */
  HOLDFAST_AGENT_LEASE_SECONDS: whole(2, day).default(120),
  /** A sandbox whose agent answers no replica for this long, and for at least half a lease, is lost, although it runs. */
  HOLDFAST_AGENT_SILENCE_SECONDS: whole(2, day).default(60),
  /** How long a stop waits for running steps. */
  HOLDFAST_DRAIN_SECONDS: whole(0, 3600).default(20),
  /** Whether webhooks may have http URLs and addresses that are not of the Internet. */
  HOLDFAST_WEBHOOKS_ALLOW_PRIVATE: flag.default(false),
  /** The steps of a session and the ended sessions beyond these limits are purged. */
  HOLDFAST_HISTORY_STEPS_MAX: whole(1, 10_000_000).default(10_000),
  HOLDFAST_HISTORY_SESSION_BYTES_MAX: fileBytes.default(2 ** 30),
  HOLDFAST_HISTORY_TENANT_BYTES_MAX: fileBytes.default(32 * 2 ** 30),
  HOLDFAST_HISTORY_RETENTION_SECONDS: seconds(3650 * day).default(30 * day),
  /** Sessions of a tenant that are live, or ended with a sandbox that is not gone. */
  HOLDFAST_SESSIONS_MAX: whole(1, 1_000_000).default(100),
  /** The processes of one session that run at a time. The sandbox has limits of its own. */
  HOLDFAST_SESSION_PROCESSES_MAX: whole(1, 4096).default(100),
  /** Contents that are stored of one file, one step, one session and all sessions of a tenant. */
  HOLDFAST_KEPT_FILE_BYTES_MAX: fileBytes.default(256 * 2 ** 20),
  HOLDFAST_KEPT_STEP_BYTES_MAX: fileBytes.default(2 ** 30),
  HOLDFAST_KEPT_SESSION_BYTES_MAX: fileBytes.default(8 * 2 ** 30),
  HOLDFAST_KEPT_TENANT_BYTES_MAX: whole(1, 2 ** 50).default(64 * 2 ** 30),
  /** The limit of an uploaded file or archive. */
  HOLDFAST_UPLOAD_BYTES_MAX: fileBytes.default(4 * 2 ** 30),
  /** Stores contents in S3 instead of Postgres. */
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
  /** The kernels' Python, and the modules that are loaded before a kernel starts; `none` loads none. */
  HOLDFAST_PYTHON: z.string().optional(),
  /** Whether the process runtime installs IPython into the data directory for a Python that lacks it. */
  HOLDFAST_PYTHON_EXTRAS: z.enum(['install', 'none'], 'must be install or none').default('install'),
  /** Whether sandboxes of the process runtime use this machine's settings for registries and proxies, some of which may hold passwords. */
  HOLDFAST_REGISTRY_SETTINGS: z.enum(['machine', 'none'], 'must be machine or none').default('machine'),
  HOLDFAST_AGENT_PYTHON_PRELOAD: z
    .string()
    .regex(/^[A-Za-z_][\w.]*(,[A-Za-z_][\w.]*)*$/, 'must be names of Python modules with commas between them, or none')
    .optional(),
};
