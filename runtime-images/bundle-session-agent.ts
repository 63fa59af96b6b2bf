import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from './bundle-options.ts';
import { lazyBuiltins } from './lazy-builtins.ts';
import { socketFilter } from './socket-filter.ts';

const requireBanner = `import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);`;

const source = join(import.meta.dirname, '../session-agent/src');

/**
 * Writes the agent and its kernels, which need nothing else to run: `agent/agent.mjs` and `languages/`. Relative to the module that starts
 * them, the kernels have the same place as in the sources. `socket-filter` and `agent/not-dumpable.mjs` are for the program that starts the agent.
 */
export async function bundleSessionAgent(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  await writeFile(join(into, 'package.json'), `${JSON.stringify({ type: 'module' })}\n`);
  await writeFile(join(into, 'socket-filter'), socketFilter());
  await build({
    ...bundleOptions,
    entryPoints: { agent: join(source, 'main.ts') },
    outdir: join(into, 'agent'),
    outExtension: { '.js': '.mjs' },
    // So that modules with a dynamic import are not in memory before they are needed.
    splitting: true,
    // Every sandbox holds this text in memory. A single character outside ASCII would make it two bytes per character.
    minify: true,
    charset: 'ascii',
    // Some libraries are CommonJS and require Node's modules, and nothing else, at run time.
    banner: { js: 'const require = process.getBuiltinModule;' },
    plugins: [withoutLocales, lazyBuiltins],
  });
  await build({
    ...bundleOptions,
    entryPoints: { 'not-dumpable': join(import.meta.dirname, 'not-dumpable.ts') },
    outdir: join(into, 'agent'),
    outExtension: { '.js': '.mjs' },
  });
  // It has the architecture of the building machine, like bun.
  const { resolve } = createRequire(new URL('../session-agent/package.json', import.meta.url));
  await copyFile(
    resolve(`@koromix/koffi-linux-${process.arch}/linux_${process.arch}/koffi.node`),
    join(into, 'agent/koffi.node'),
  );
  await build({
    ...bundleOptions,
    // Side by side, since each finds the next by its name.
    entryPoints: {
      main: join(source, 'languages/node/main.js'),
      kernel: join(source, 'languages/node/kernel.js'),
      'interrupt-worker': join(source, 'languages/node/agent/interrupt-worker.js'),
      'job-modules': join(source, 'languages/node/job-modules.js'),
    },
    outdir: join(into, 'languages/node'),
    // So that the parser is not in memory before a step needs it.
    splitting: true,
  });
  const { resolve: resolveForEsbuild } = createRequire(resolve('esbuild'));
  await copyFile(resolveForEsbuild(`@esbuild/linux-${process.arch}/bin/esbuild`), join(into, 'languages/node/esbuild'));
  await build({
    ...bundleOptions,
    entryPoints: { main: join(source, 'languages/jupyter/main.js') },
    outdir: join(into, 'languages/jupyter'),
    minify: true,
    banner: { js: requireBanner },
    plugins: [withoutLocales, nativeZeromq],
  });
  await copyFile(zeromqAddon(resolve('zeromq')), join(into, 'languages/jupyter/zeromq.node'));
  await build({
    ...bundleOptions,
    entryPoints: { holdfast: join(source, 'languages/programs/node/holdfast.js') },
    outdir: join(into, 'languages/programs/node'),
  });
  for (const kernel of ['python', 'bash', 'ruby', 'bin', 'programs/python', 'programs/ruby']) {
    await cp(join(source, 'languages', kernel), join(into, 'languages', kernel), {
      recursive: true,
      // The image contains the extra packages already.
      filter: (path) => !/\/(__pycache__|extras-requirements\.txt)$/.test(path),
    });
  }
}

/** ZeroMQ's library with its binding to Node, built for the building machine's architecture and glibc. */
function zeromqAddon(main: string): string {
  return join(dirname(main), `../build/linux/${process.arch}/node/glibc-127-Release/addon.node`);
}

/** Loads the binding from beside the bundle. The package searches its own folder for one that suits the machine. */
const nativeZeromq: Plugin = {
  name: 'native-zeromq',
  setup(build) {
    const contents = `exports.__esModule = true; exports.default = require('./zeromq.node');`;
    build.onLoad({ filter: /\/zeromq\/lib\/load-addon\.js$/ }, () => ({ contents, loader: 'js' }));
    build.onResolve({ filter: /^\.\/zeromq\.node$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** Leaves out Zod's messages in other languages. Zod exports them in one object, so a bundler cannot drop them: half of the agent's size. */
const withoutLocales: Plugin = {
  name: 'without-locales',
  setup(build) {
    const contents = `export { default as en } from './en.js';`;
    build.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({ contents }));
  },
};
