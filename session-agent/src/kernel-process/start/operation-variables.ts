import { nodeVariable, operationsVariable } from '@holdfast/specs/kernel';
import type { KernelConfig } from '../kernel-config.ts';
import { languagePrograms } from '../language-programs.ts';

const { commands, modules } = languagePrograms;

/** The folders by which programs find the `holdfast` command, and the module of this name. */
const folders = { PATH: commands, PYTHONPATH: modules.python, NODE_PATH: modules.node, RUBYLIB: modules.ruby };

/** Adds to an environment what programs need to call operations, after what it has of the same. Pure. */
export function withOperations(
  env: Record<string, string>,
  { operations, node }: Pick<KernelConfig, 'operations' | 'node'>,
): Record<string, string> {
  if (!operations) return env;
  const paths = Object.entries(folders).map(([name, folder]) => [name, env[name] ? `${env[name]}:${folder}` : folder]);
  return { ...env, ...Object.fromEntries(paths), [operationsVariable]: operations.path, [nodeVariable]: node };
}
