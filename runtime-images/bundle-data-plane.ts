import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from './bundle-options.ts';

const source = join(import.meta.dirname, '../data-plane');

/**
 * Writes `data-plane/dist/main.mjs`. To run, it only needs the `migrations` two folders above it, as in the sources. It contains neither the
 * embedded Postgres nor a session-agent, so it needs a database and a cluster or a container engine.
 */
export async function bundleDataPlane(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  await build({
    ...bundleOptions,
    entryPoints: [join(source, 'src/main.ts')],
    outfile: join(into, 'data-plane/dist/main.mjs'),
    // Some libraries are CommonJS and require Node's modules at run time.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);`,
    },
    // Faster variants, which a library uses only if they are installed.
    external: ['bufferutil', 'utf-8-validate'],
    plugins: [withoutFarEngines],
  });
  await cp(join(source, 'migrations'), join(into, 'migrations'), { recursive: true });
}

/** Leaves out the SSH and build support of the container engines' client, which we do not use: native code and half of its size. */
const withoutFarEngines: Plugin = {
  name: 'without-far-engines',
  setup(build) {
    const filter = /^(ssh2|@grpc\/grpc-js|@grpc\/proto-loader)$/;
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'without-far-engines' }));
    build.onLoad({ filter, namespace: 'without-far-engines' }, () => ({ contents: 'module.exports = {};' }));
  },
};
