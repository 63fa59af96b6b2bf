import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from './bundle-options.ts';

const source = join(import.meta.dirname, '../data-plane');

/**
 * Writes `data-plane/dist/main.mjs`, which needs nothing else to run but the `migrations` that lie two folders above it, as they do among
 * the sources. There is no embedded Postgres in it and no session-agent: it works with a database and a cluster.
 */
export async function bundleDataPlane(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  await build({
    ...bundleOptions,
    entryPoints: [join(source, 'src/main.ts')],
    outfile: join(into, 'data-plane/dist/main.mjs'),
    // Some libraries are CommonJS and ask for Node's modules when they run.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);`,
    },
    // Faster variants that are used where they are installed.
    external: ['bufferutil', 'utf-8-validate'],
    plugins: [withoutFarEngines],
  });
  await cp(join(source, 'migrations'), join(into, 'migrations'), { recursive: true });
}

/** What the client of container engines needs for SSH and for builds, which we ask of none: native code and half of its text. */
const withoutFarEngines: Plugin = {
  name: 'without-far-engines',
  setup(build) {
    const filter = /^(ssh2|@grpc\/grpc-js|@grpc\/proto-loader)$/;
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'without-far-engines' }));
    build.onLoad({ filter, namespace: 'without-far-engines' }, () => ({ contents: 'module.exports = {};' }));
  },
};
