import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from './bundle-options.ts';

const source = join(import.meta.dirname, '../session-agent/src');

/**
 * Writes the agent and its kernels, which need nothing else to run: `agent/agent.mjs`, `kernels/python/` and `kernels/node/`. Kernels lie
 * where they do among the sources, seen from the module that starts them.
 */
export async function bundleSessionAgent(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  await writeFile(join(into, 'package.json'), `${JSON.stringify({ type: 'module' })}\n`);
  await build({
    ...bundleOptions,
    entryPoints: [join(source, 'main.ts')],
    outfile: join(into, 'agent/agent.mjs'),
    // Every sandbox holds this text in its memory.
    minify: true,
    plugins: [withoutLocales],
  });
  await build({
    ...bundleOptions,
    entryPoints: ['main.js', 'interrupt-worker.js'].map((name) => join(source, 'kernels/node', name)),
    outdir: join(into, 'kernels/node'),
  });
  await cp(join(source, 'kernels/python'), join(into, 'kernels/python'), {
    recursive: true,
    filter: (path) => !path.endsWith('__pycache__'),
  });
}

/** Zod exports the messages of all languages in one object, which a bundler has to keep: half of the agent's text. */
const withoutLocales: Plugin = {
  name: 'without-locales',
  setup(build) {
    const contents = `export { default as en } from './en.js';`;
    build.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({ contents }));
  },
};
