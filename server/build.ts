import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleDataPlane } from '../runtime-images/bundle-data-plane.ts';
import { bundleOptions } from '../runtime-images/bundle-options.ts';
import { bundleSessionAgent } from '../runtime-images/bundle-session-agent.ts';

const out = join(import.meta.dirname, 'dist');
const sources = join(import.meta.dirname, '../session-agent/src');
const agent = join(out, 'session-agent/src');

/**
 * Writes the programs of the images, each at its path in the repository, so that they find each other. Parts of the agent are for the architecture
 * of this machine. Node takes no TypeScript from `node_modules`, so `holdfast up` copies them to another place before it starts them.
 */
await rm(out, { recursive: true, force: true });
await Promise.all([bundleDataPlane(out), bundleSessionAgent(agent)]);
await writeFile(join(agent, 'main.ts'), `import './agent/agent.mjs';\n`);
await build({
  ...bundleOptions,
  entryPoints: [join(sources, 'list-jupyter-languages.ts')],
  outfile: join(agent, 'list-jupyter-languages.ts'),
});
const requirements = 'languages/python/extras-requirements.txt';
await copyFile(join(sources, requirements), join(agent, requirements));
