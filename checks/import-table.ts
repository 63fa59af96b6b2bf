type Table = Record<string, readonly string[]>;

/** From the composition down to the adapters. Adapters never import each other, nor do drivers. */
const dataPlane: Table = {
  'main.ts': ['start', 'config'],
  start: [
    'access',
    'agent',
    'artifacts',
    'config',
    'contents',
    'contents/s3',
    'contexts',
    'export',
    'files',
    'http',
    'http/edge',
    'jobs',
    'keys',
    'languages',
    'observability',
    'reading',
    'reconcile',
    'registry',
    'runtimes/container',
    'runtimes/kubernetes',
    'runtimes/process',
    'runtimes/runtime.ts',
    'sessions',
    'snapshots',
    'state',
    'steps',
    'timing',
    'world',
  ],
  http: [
    'http/edge',
    'access',
    'artifacts',
    'contexts',
    'export',
    'files',
    'jobs',
    'languages',
    'reading',
    'sessions',
    'snapshots',
    'steps',
  ],
  'http/edge': ['artifacts', 'files', 'reading', 'sessions'],
  reconcile: ['agent', 'contents', 'registry', 'runtimes/runtime.ts', 'sessions', 'state', 'steps', 'timing', 'world'],
  access: ['sessions', 'registry'],
  jobs: [
    'agent',
    'artifacts',
    'contents',
    'files',
    'keys',
    'registry',
    'runtimes/runtime.ts',
    'sessions',
    'steps',
    'world',
  ],
  files: ['agent', 'artifacts', 'contents', 'policy/audit', 'registry', 'sessions', 'world'],
  steps: ['agent', 'artifacts', 'contexts', 'keys', 'policy/audit', 'reading', 'registry', 'sessions', 'timing'],
  artifacts: ['agent', 'contents', 'keys', 'registry', 'sessions', 'world'],
  world: ['agent', 'contents', 'registry', 'sessions', 'timing'],
  contexts: ['agent', 'keys', 'policy/audit', 'reading', 'registry', 'sessions'],
  languages: ['agent', 'runtimes/runtime.ts', 'sessions'],
  export: ['reading', 'registry', 'sessions'],
  reading: ['registry', 'timing'],
  snapshots: ['contents', 'contexts', 'keys', 'policy/audit', 'registry', 'sessions', 'state'],
  sessions: ['agent', 'contents', 'keys', 'policy/audit', 'registry', 'runtimes/runtime.ts', 'state', 'timing'],
  'policy/audit': ['registry'],
  state: ['agent', 'contents', 'keys', 'registry', 'timing'],
  contents: ['registry'],
  'contents/s3': ['contents'],
  registry: [],
  agent: [],
  keys: [],
  'runtimes/process': ['runtimes/runtime.ts', 'timing'],
  'runtimes/container': [
    'runtimes/leftovers.ts',
    'runtimes/runtime.ts',
    'runtimes/warm-pools-from-profiles.ts',
    'runtimes/parse-profiles.ts',
    'runtimes/parse-quantity.ts',
    'runtimes/sandbox-user-id.ts',
  ],
  'runtimes/kubernetes': [
    'runtimes/leftovers.ts',
    'runtimes/runtime.ts',
    'runtimes/warm-pools-from-profiles.ts',
    'runtimes/parse-profiles.ts',
    'runtimes/parse-quantity.ts',
    'runtimes/sandbox-user-id.ts',
  ],
  'runtimes/leftovers.ts': [],
  'runtimes/runtime.ts': [],
  'runtimes/warm-pools-from-profiles.ts': ['runtimes/runtime.ts'],
  'runtimes/parse-profiles.ts': [],
  'runtimes/parse-quantity.ts': [],
  'runtimes/sandbox-user-id.ts': [],
  observability: [],
  timing: [],
  config: [
    'registry/connections/parse-database-url.ts',
    'runtimes/container/engine/engine-address.ts',
    'runtimes/container/engine/subnets.ts',
  ],
};

const sessionAgent: Table = {
  'main.ts': ['config.ts', 'log.ts', 'start'],
  'list-jupyter-languages.ts': ['kernel-process'],
  start: ['auth', 'collect-garbage.ts', 'contexts', 'files', 'http', 'jobs', 'kernel-process', 'log.ts', 'steps'],
  http: ['auth', 'contexts', 'files', 'files/archive', 'jobs', 'steps'],
  contexts: ['files', 'kernel-process', 'log.ts', 'state', 'steps'],
  state: ['kernel-process'],
  jobs: ['files', 'kernel-process', 'log.ts', 'steps'],
  steps: ['collect-garbage.ts', 'kernel-process'],
  files: [],
  'files/archive': ['files'],
  auth: [],
  languages: [],
  'config.ts': [],
  'kernel-process': [],
  'log.ts': [],
  'collect-garbage.ts': [],
};

const specs: Table = {
  'emit-openapi.ts': ['openapi'],
  openapi: ['agent', 'public'],
  agent: ['public'],
  kernel: ['public'],
  public: [],
};

/** The parts of each package, and which parts each may import. Every part may import itself, the contract and Node. */
export const parts: Table = {
  ...inside('specs/src', specs),
  'connections/src': [],
  ...inside('data-plane/src', dataPlane),
  ...inside('session-agent/src', sessionAgent),
};

/** Modules of the same package may import types from here. Their values arrive by composition. */
export const typesForAll = ['data-plane/src/config', 'data-plane/src/observability', 'session-agent/src/config.ts'];

/** The folders where each third-party library may be imported. */
export const libraries: Record<string, readonly string[]> = {
  '@aws-sdk/client-s3': ['data-plane/src/contents/s3'],
  '@asteasolutions/zod-to-openapi': ['specs/src/openapi'],
  '@hono/node-server': ['data-plane/src/http'],
  dockerode: ['data-plane/src/runtimes/container'],
  'drizzle-orm': ['data-plane/src/registry'],
  acorn: ['session-agent/src/languages/node/read'],
  'magic-string': ['session-agent/src/languages/node/rewrite'],
  '@kubernetes/client-node': ['data-plane/src/runtimes/kubernetes'],
  hono: ['data-plane/src/http', 'session-agent/src/http'],
  jose: ['data-plane/src/keys', 'session-agent/src/auth'],
  mime: ['data-plane/src/artifacts'],
  pino: ['data-plane/src/observability'],
  postgres: ['data-plane/src/registry'],
  'prom-client': ['data-plane/src/observability'],
  'tar-stream': ['session-agent/src/files/archive'],
  undici: ['data-plane/src/agent', 'data-plane/src/runtimes/kubernetes'],
  yauzl: ['session-agent/src/files/archive'],
  yazl: ['session-agent/src/files/archive'],
  zeromq: ['session-agent/src/languages/jupyter'],
  zod: ['specs/src', 'data-plane/src', 'session-agent/src'],
};

/** The modules that may read `process.env`. The programs of the languages run in processes of their own. */
export const environmentReaders = [
  'data-plane/src/config/parse-config.ts',
  'data-plane/src/main.ts',
  'session-agent/src/config.ts',
  'session-agent/src/main.ts',
  'session-agent/src/languages',
];

function inside(folder: string, table: Table): Table {
  const path = (part: string) => `${folder}/${part}`;
  return Object.fromEntries(Object.entries(table).map(([part, allowed]) => [path(part), allowed.map(path)]));
}
