import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from './bundle-options.ts';
import { socketFilter } from './socket-filter.ts';

const source = join(import.meta.dirname, '../session-agent/src');

/**
 * Writes the agent and its kernels, which need nothing else to run: `agent/agent.mjs` and `languages/`. Kernels lie where they do
 * among the sources, seen from the module that starts them. `socket-filter` is for who starts the agent.
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
    // What is imported when it is needed stays out of memory until then.
    splitting: true,
    // Every sandbox holds this text in its memory: with another character than ASCII's in it, two bytes for each of its characters.
    minify: true,
    charset: 'ascii',
    // Some libraries are CommonJS and ask for Node's modules when they run.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);`,
    },
    plugins: [withoutLocales],
  });
  await build({
    ...bundleOptions,
    // Side by side, since each finds the next by its name.
    entryPoints: {
      main: join(source, 'languages/node/main.js'),
      kernel: join(source, 'languages/node/kernel.js'),
      'interrupt-worker': join(source, 'languages/node/agent/interrupt-worker.js'),
    },
    outdir: join(into, 'languages/node'),
  });
  for (const kernel of ['python', 'bash', 'ruby']) {
    await cp(join(source, 'languages', kernel), join(into, 'languages', kernel), {
      recursive: true,
      filter: (path) => !path.endsWith('__pycache__'),
    });
  }
}

/** Zod exports the messages of all languages in one object, which a bundler has to keep: half of the agent's text. */
const withoutLocales: Plugin = {
  name: 'without-locales',
  setup(build) {
    const contents = `export { default as en } from './en.js';`;
    build.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({ contents }));
  },
};
