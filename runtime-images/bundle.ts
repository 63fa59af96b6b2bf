import { join } from 'node:path';
import { bundleDataPlane } from './bundle-data-plane.ts';
import { bundleSessionAgent } from './bundle-session-agent.ts';
import { copyBun } from './copy-bun.ts';
import { copyNpm } from './copy-npm.ts';

const bundles: Record<string, (into: string) => Promise<void>> = {
  sandbox: bundleSessionAgent,
  bun: copyBun,
  npm: copyNpm,
  'data-plane': bundleDataPlane,
};

const [into, ...names] = process.argv.slice(2);
for (const name of names) {
  const bundle = bundles[name];
  if (into === undefined || bundle === undefined)
    throw new Error('usage: bundle.ts DIRECTORY [sandbox] [bun] [npm] [data-plane]');
  await bundle(join(into, name));
}
