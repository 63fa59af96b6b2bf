type Table = Record<string, readonly string[]>;

/** From the composition down to the contract; see the design's layout. Adapters and drivers never meet. */
const dataPlane: Table = {
  '*': [''], // the composition: main, dependencies and the like
  'app.ts': ['http', 'observability'],
  http: ['sessions', 'access', 'policy'],
  reconcile: ['sessions', 'policy', 'content', 'registry', 'agent', 'runtimes/runtime.ts'],
  sessions: ['policy', 'content', 'registry', 'agent', 'runtimes/runtime.ts'],
  access: ['sessions', 'registry'],
  content: ['registry'],
  'content/s3': ['content/object-store.ts', 'content/contents.ts', 'content/pieces.ts'],
  policy: ['registry'],
  registry: [],
  agent: [],
  'runtimes/process': ['runtimes/runtime.ts'],
  'runtimes/container': [
    'runtimes/runtime.ts',
    'runtimes/parse-profiles.ts',
    'runtimes/parse-quantity.ts',
    'runtimes/sandbox-user-id.ts',
  ],
  'runtimes/kubernetes': [
    'runtimes/runtime.ts',
    'runtimes/parse-profiles.ts',
    'runtimes/parse-quantity.ts',
    'runtimes/sandbox-user-id.ts',
  ],
  'runtimes/runtime.ts': [],
  'runtimes/parse-profiles.ts': [],
  'runtimes/parse-quantity.ts': [],
  'runtimes/parse-quantity.test.ts': ['runtimes/parse-quantity.ts'],
  'runtimes/sandbox-user-id.ts': [],
  'runtimes/sandbox-user-id.test.ts': ['runtimes/sandbox-user-id.ts'],
  observability: [],
  'config.ts': ['knobs.ts', 'secret.ts'],
  'knobs.ts': ['secret.ts', 'runtimes/container/engine-address.ts', 'runtimes/container/subnets.ts'],
  'secret.ts': [],
};

const sessionAgent: Table = {
  '*': [''], // the composition
  'app.ts': ['http', 'auth', 'contexts', 'jobs', 'files', 'steps'],
  http: ['auth', 'contexts', 'jobs', 'files', 'steps'],
  contexts: ['steps', 'kernel', 'files', 'log.ts'],
  jobs: ['steps', 'kernel', 'files', 'log.ts'],
  steps: ['kernel/kernel.ts'],
  files: [],
  auth: [],
  kernel: ['collect-garbage.ts'],
  kernels: [],
  'config.ts': [],
  'log.ts': [],
  'collect-garbage.ts': [],
};

/** The parts of each package, and which parts each may import. Every part may import itself, `specs` and Node. */
export const parts: Table = {
  'specs/src': [],
  ...within('data-plane/src', dataPlane),
  ...within('session-agent/src', sessionAgent),
};

/** Whose types may be named everywhere in their package; their values reach the parts by composition. */
export const typesForAll = [
  'data-plane/src/config.ts',
  'data-plane/src/secret.ts',
  'data-plane/src/observability',
  'session-agent/src/config.ts',
];

/** Where a third-party library is at home. */
export const libraries: Record<string, readonly string[]> = {
  '@aws-sdk/client-s3': ['data-plane/src/content/s3'],
  '@asteasolutions/zod-to-openapi': ['specs/src/openapi'],
  '@hono/node-server': ['data-plane/src/http'],
  dockerode: ['data-plane/src/runtimes/container'],
  'drizzle-orm': ['data-plane/src/registry'],
  'es-module-lexer': ['session-agent/src/kernels/node'],
  '@kubernetes/client-node': ['data-plane/src/runtimes/kubernetes'],
  hono: ['data-plane/src/http', 'data-plane/src/app.ts', 'session-agent/src/http', 'session-agent/src/app.ts'],
  jose: ['data-plane/src/agent', 'session-agent/src/auth'],
  mime: ['data-plane/src/sessions'],
  pino: ['data-plane/src/observability'],
  postgres: ['data-plane/src/registry'],
  'prom-client': ['data-plane/src/observability'],
  'tar-stream': ['session-agent/src/files/archive'],
  undici: ['data-plane/src/agent', 'data-plane/src/runtimes/kubernetes'],
  yauzl: ['session-agent/src/files/archive'],
  yazl: ['session-agent/src/files/archive'],
  zod: ['specs/src', 'data-plane/src', 'session-agent/src'],
};

/** Who may look at `process.env`. The kernels' programs live in processes of their own. */
export const environmentReaders = [
  'data-plane/src/config.ts',
  'data-plane/src/main.ts',
  'session-agent/src/config.ts',
  'session-agent/src/main.ts',
  'session-agent/src/kernels',
];

function within(folder: string, table: Table): Table {
  const path = (part: string) => (part === '' ? folder : `${folder}/${part}`);
  return Object.fromEntries(Object.entries(table).map(([part, allowed]) => [path(part), allowed.map(path)]));
}
