import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Stage } from './stage.ts';

const root = join(import.meta.dirname, '../../..');

/** Bundles the session-agent, once in a run, as images contain it, and gives the path of its program. */
export async function bundledAgent({ dataDir }: Pick<Stage, 'dataDir'>): Promise<string> {
  const into = join(dataDir, 'bundle');
  const program = join(into, 'sandbox/agent/agent.mjs');
  if (!existsSync(program))
    await promisify(execFile)(process.execPath, [join(root, 'runtime-images/bundle.ts'), into, 'sandbox']);
  return program;
}

/** The environment that the first program of an image sets for the agent. */
export const imageAgentEnv = {
  MALLOC_TOP_PAD_: '0',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '65536',
};
