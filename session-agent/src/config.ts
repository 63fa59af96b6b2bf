import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import * as z from 'zod';

/** The whole configuration, in the units that the names state. None of it is secret. */
export type Config = Readonly<{
  environment: 'production' | 'development';
  sandboxUid: string;
  host: string;
  port: number;
  readyFd: number | null;
  workspace: string;
  /** The name that the profile gives the user, and the folder in which the image's name service looks for it; null without one of them. */
  user: Readonly<{ name: string; accounts: string }> | null;
  leaseMs: number;
  /** After SIGTERM, the time in which the state can be saved. */
  savingMs: number;
  /** How long an agent without a session waits to be claimed. */
  unboundMs: number;
  auth: Readonly<{ bypassed: boolean; issuer: string | null; keys: readonly TokenKey[] }>;
  steps: Readonly<{
    outputBytesMax: number;
    /** The limit for longer output, which is stored in files; 0 stores none. */
    outputFilesBytesMax: number;
    unacknowledgedBytesMax: number;
    stopGraceMs: number;
  }>;
  processes: Readonly<{
    /** How many may run at a time. */
    processesMax: number;
    /** The limit for the output of all of them that is in memory. */
    logBytesMax: number;
  }>;
  files: Readonly<{
    /** The limit for a file that the host writes. */
    fileBytesMax: number;
    /** The limit for an archive that the host sends, and for its unpacked files. */
    archiveBytesMax: number;
    /** The directories outside the workspace in which the host may read and write files. */
    fileRoots: readonly string[];
  }>;
  kernels: Readonly<{
    python: string | null;
    /** A folder that Python kernels search after all others for packages, whether it exists yet or not. */
    pythonExtras: string | undefined;
    path: string;
    home: string;
    jupyterPath: readonly string[];
    /** The folder for temporary files of the programs in the sandbox. */
    tmp: string;
    /** The folder for those of the agent, which have the state of the session. */
    agentTmp: string;
    /** Further variables of all programs in the sandbox. */
    env: Readonly<Record<string, string>>;
    /** Python libraries that are loaded once for all kernels, if they are installed. */
    preload: readonly string[];
  }>;
}>;

/** A public Ed25519 key as a JWK (RFC 8037). */
export type TokenKey = z.infer<typeof tokenKeySchema>;

/** Holds all faults of the environment, one line each. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: string[]) {
    super(`the configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** @throws ConfigError with all faults at once */
export function parseConfig(env: Record<string, string | undefined>): Config {
  const known = Object.fromEntries(Object.keys(variables.shape).map((name) => [name, env[name] || undefined]));
  const parsed = variables.safeParse(known);
  const faults = parsed.error?.issues.map(({ path, message }) => `${String(path[0])} ${message}`) ?? [];
  faults.push(...authenticationFaults(known));
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const value = parsed.data;
  return Object.freeze({
    environment: value.HOLDFAST_ENV,
    sandboxUid: value.HOLDFAST_SANDBOX_UID,
    host: value.HOLDFAST_AGENT_HOST,
    port: value.HOLDFAST_AGENT_PORT,
    readyFd: value.HOLDFAST_AGENT_READY_FD ?? null,
    workspace: value.HOLDFAST_WORKSPACE,
    user: userFrom(value),
    leaseMs: value.HOLDFAST_AGENT_LEASE_SECONDS * 1000,
    savingMs: value.HOLDFAST_AGENT_SAVING_SECONDS * 1000,
    unboundMs: (value.HOLDFAST_AGENT_UNBOUND_SECONDS ?? value.HOLDFAST_AGENT_LEASE_SECONDS) * 1000,
    auth: Object.freeze({
      bypassed: value.HOLDFAST_INSECURE_SKIP_AGENT_AUTH === 'true',
      issuer: value.HOLDFAST_AGENT_ISSUER ?? null,
      keys: value.HOLDFAST_AGENT_TOKEN_KEYS?.keys ?? [],
    }),
    steps: Object.freeze({
      outputBytesMax: value.HOLDFAST_STEP_OUTPUT_BYTES_MAX,
      outputFilesBytesMax: value.HOLDFAST_OUTPUT_FILES_BYTES_MAX,
      unacknowledgedBytesMax: value.HOLDFAST_UNACKNOWLEDGED_BYTES_MAX,
      stopGraceMs: value.HOLDFAST_STOP_GRACE_MS,
    }),
    processes: Object.freeze({
      processesMax: value.HOLDFAST_PROCESSES_MAX,
      logBytesMax: value.HOLDFAST_PROCESS_OUTPUT_BYTES_MAX,
    }),
    files: Object.freeze({
      fileBytesMax: value.HOLDFAST_FILE_BYTES_MAX,
      archiveBytesMax: value.HOLDFAST_ARCHIVE_BYTES_MAX,
      fileRoots: value.HOLDFAST_AGENT_FILE_ROOTS,
    }),
    kernels: Object.freeze({
      python: value.HOLDFAST_PYTHON ?? null,
      pythonExtras: value.HOLDFAST_AGENT_PYTHON_EXTRAS,
      path: value.PATH,
      home: value.HOME,
      jupyterPath: value.JUPYTER_PATH,
      tmp: value.TMPDIR,
      agentTmp: value.HOLDFAST_AGENT_TMP ?? value.TMPDIR,
      env: value.HOLDFAST_SANDBOX_ENV,
      preload: value.HOLDFAST_AGENT_PYTHON_PRELOAD,
    }),
  });
}

const mebibyte = 1024 * 1024;
const required = (meaning: string) => ({ error: `is required: ${meaning}` });
const integer = (min: number, max: number) =>
  z.coerce.number(`must be a number from ${min} to ${max}`).int().min(min).max(max);

const tokenKeySchema = z.strictObject(
  {
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
    kid: z.string().min(1).max(128),
    alg: z.string().optional(),
    use: z.string().optional(),
  },
  'must hold public Ed25519 keys with kid, and no other member',
);

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});

const tokenKeys = json.pipe(
  z.object({ keys: z.array(tokenKeySchema).min(1).max(3) }, 'must be a JWK set of one to three keys'),
);

const moduleNames = z
  .string()
  .regex(/^\w+(\.\w+)*(,\w+(\.\w+)*)*$/, 'must be names of Python modules with commas between them, or none')
  .max(1024)
  .transform((text) => (text === 'none' ? [] : text.split(',')));

const fileRoots = z.array(
  z
    .string()
    .refine(isAbsolute, { error: 'must hold absolute paths', abort: true })
    .refine(isDirectory, { error: ({ input }) => `names ${input}, which is not a directory of the image` }),
  'must be an array of absolute paths',
);

const variables = z.object({
  HOLDFAST_ENV: z.enum(['production', 'development']).default('production'),
  HOLDFAST_SANDBOX_UID: z.string(required("the sandbox's own uid")).max(128),
  HOLDFAST_AGENT_ISSUER: z.string().optional(),
  HOLDFAST_AGENT_TOKEN_KEYS: tokenKeys.optional(),
  HOLDFAST_AGENT_HOST: z.string().default('127.0.0.1'),
  HOLDFAST_AGENT_PORT: integer(0, 65_535).default(0),
  HOLDFAST_AGENT_READY_FD: integer(3, 1023).optional(),
  HOLDFAST_WORKSPACE: z
    .string(required('an absolute directory'))
    .refine(isAbsolute, { error: 'must be absolute', abort: true })
    .refine(isDirectory, 'must be an existing directory'),
  HOLDFAST_AGENT_TMP: z
    .string()
    .refine(isAbsolute, { error: 'must be absolute', abort: true })
    .refine(isDirectory, 'must be an existing directory')
    .optional(),
  HOLDFAST_SANDBOX_USER: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'must be the name of a user')
    .optional(),
  HOLDFAST_AGENT_ACCOUNTS: z.string().refine(isAbsolute, 'must be absolute').optional(),
  HOLDFAST_AGENT_LEASE_SECONDS: integer(1, 86_400).default(120),
  HOLDFAST_AGENT_UNBOUND_SECONDS: integer(1, 604_800).optional(),
  HOLDFAST_AGENT_SAVING_SECONDS: integer(0, 600).default(0),
  HOLDFAST_STEP_OUTPUT_BYTES_MAX: integer(1024, 1024 * mebibyte).default(8 * mebibyte),
  HOLDFAST_OUTPUT_FILES_BYTES_MAX: integer(0, 64 * 1024 * mebibyte).default(256 * mebibyte),
  HOLDFAST_UNACKNOWLEDGED_BYTES_MAX: integer(1024, 1024 * mebibyte).default(64 * mebibyte),
  HOLDFAST_PROCESSES_MAX: integer(1, 4096).default(256),
  HOLDFAST_PROCESS_OUTPUT_BYTES_MAX: integer(mebibyte, 64 * 1024 * mebibyte).default(64 * mebibyte),
  HOLDFAST_FILE_BYTES_MAX: integer(1, 1024 * 1024 * mebibyte).default(4096 * mebibyte),
  HOLDFAST_ARCHIVE_BYTES_MAX: integer(1, 1024 * 1024 * mebibyte).default(4096 * mebibyte),
  HOLDFAST_AGENT_FILE_ROOTS: json.pipe(fileRoots).default([]),
  HOLDFAST_STOP_GRACE_MS: integer(0, 60_000).default(1000),
  HOLDFAST_PYTHON: z.string().optional(),
  HOLDFAST_AGENT_PYTHON_EXTRAS: z.string().refine(isAbsolute, 'must be absolute').optional(),
  HOLDFAST_AGENT_PYTHON_PRELOAD: moduleNames.default(['asyncio', 'numpy', 'pandas']),
  HOLDFAST_SANDBOX_ENV: json
    .pipe(z.record(z.string(), z.string('must be an object of texts'), 'must be an object of texts'))
    .default({}),
  HOLDFAST_INSECURE_SKIP_AGENT_AUTH: z.enum(['true', 'false']).default('false'),
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  HOME: z.string().default('/'),
  JUPYTER_PATH: z
    .string()
    .default('')
    .transform((text) => text.split(':').filter(isAbsolute)),
  TMPDIR: z.string().default('/tmp'),
});

function userFrom({ HOLDFAST_SANDBOX_USER: name, HOLDFAST_AGENT_ACCOUNTS: accounts }: z.output<typeof variables>) {
  return name && accounts ? Object.freeze({ name, accounts }) : null;
}

/** The bypass needs no keys and is not allowed in production. Without the bypass, an issuer and keys are required. */
function authenticationFaults(env: Record<string, string | undefined>): string[] {
  if (env.HOLDFAST_INSECURE_SKIP_AGENT_AUTH === 'true') {
    if (env.HOLDFAST_ENV === 'development') return [];
    return ['HOLDFAST_INSECURE_SKIP_AGENT_AUTH is refused while HOLDFAST_ENV is production (the default)'];
  }
  return [
    ...(env.HOLDFAST_AGENT_ISSUER ? [] : ['HOLDFAST_AGENT_ISSUER is required: the issuer of the tokens']),
    ...(env.HOLDFAST_AGENT_TOKEN_KEYS ? [] : ['HOLDFAST_AGENT_TOKEN_KEYS is required: a JWK set of public keys']),
  ];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
