import { nodeVariable, operationsVariable } from '@holdfast/specs/kernel';
import type { KernelConfig } from '../kernel-config.ts';
import { languagePrograms } from '../language-programs.ts';

/** Adds to an environment what programs need to call operations; the `holdfast` command comes last in `PATH`. Pure. */
export function withOperations(
  env: Record<string, string>,
  { operations, node }: Pick<KernelConfig, 'operations' | 'node'>,
): Record<string, string> {
  if (!operations) return env;
  const path = env.PATH ? `${env.PATH}:${languagePrograms.commands}` : languagePrograms.commands;
  return { ...env, PATH: path, [operationsVariable]: operations.path, [nodeVariable]: node };
}
