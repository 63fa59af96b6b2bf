import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleDataPlane } from '../../bundle-data-plane.ts';
import { bundleSessionAgent } from '../../bundle-session-agent.ts';

const repository = join(import.meta.dirname, '../../..');

/**
 * Writes the programs of the images into a folder, each at its path in the repository, so that they find each other and what is installed
 * beside them. They start in a fraction of the time that the sources take, and a test run starts hundreds of them.
 */
export async function bundlePrograms(into: string): Promise<void> {
  const agent = join(into, 'session-agent/src');
  await mkdir(into);
  await Promise.all([bundleDataPlane(into), bundleSessionAgent(agent)]);
  await mkdir(join(into, 'data-plane/src'));
  await symlink('../dist/main.mjs', join(into, 'data-plane/src/main.ts'));
  await symlink('agent/agent.mjs', join(agent, 'main.ts'));
  for (const file of ['list-jupyter-languages.ts', 'languages/python/extras-requirements.txt']) {
    await symlink(join(repository, 'session-agent/src', file), join(agent, file));
  }
  for (const part of ['data-plane', 'session-agent']) {
    await symlink(join(repository, part, 'node_modules'), join(into, part, 'node_modules'));
  }
}
