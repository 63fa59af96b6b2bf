import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runPip } from './run-pip.ts';

export type Installation = {
  python: string;
  /** The file with the pinned packages and their hashes. */
  requirements: string;
  env: Record<string, string>;
  /** An empty folder. */
  folder: string;
  /** On the same file system, for what is not complete yet. */
  drafts: string;
};

/** All packages are named with their hashes, so pip need not resolve anything and runs no code of a package. */
const options = [
  ['--no-deps', '--require-hashes', '--only-binary=:all:', '--no-warn-conflicts', '--ignore-installed'],
  ['--no-input', '--disable-pip-version-check', '--quiet'],
].flat();

/**
 * Installs the packages into the folder, as a whole or not at all: they become visible to the kernels that search it by one rename, which
 * replaces the empty folder.
 * @throws Error with pip's own words, or `signal`'s reason
 */
export async function installExtras(
  { python, requirements, env, folder, drafts }: Installation,
  signal: AbortSignal,
): Promise<void> {
  const draft = await mkdtemp(join(drafts, 'draft-'));
  try {
    await runPip(python, ['install', ...options, '--target', join(draft, 'packages'), '--requirement', requirements], {
      // These settings of a user would stop an installation into a folder.
      env: { ...env, PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0', PIP_DRY_RUN: '0' },
      cwd: draft,
      signal,
    });
    await rename(join(draft, 'packages'), folder);
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}
