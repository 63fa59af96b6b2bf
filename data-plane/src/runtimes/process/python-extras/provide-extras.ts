import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../../observability/logger.ts';
import { findMissingExtras } from './find-missing-extras.ts';
import { installExtras } from './install-extras.ts';

const installMsMax = 300_000;

export type ExtrasInput = {
  python: string;
  /** The file with the pinned packages and their hashes. */
  requirements: string;
  /** The environment of pip and of the kernels. */
  env: Record<string, string>;
  dataDir: string;
  log: Pick<Logger, 'warn'>;
  progress: (message: string) => void;
};

export type Extras = {
  /** Kernels search it after all other folders. */
  folder: string;
  /** Resolves once the installation has ended in any way. */
  settled: Promise<void>;
  /** Ends an installation that still runs. */
  close(): Promise<void>;
};

/**
 * Gives a Python that lacks IPython or cloudpickle a folder with them. If that is still empty, the packages are installed beside the running sessions, so
 * that the start waits for no package index; kernels find them from that moment on. Only one data-plane at a time uses the data directory.
 * Returns null if this Python needs no folder or cannot have one, and says why not.
 */
export async function provideExtras(input: ExtrasInput, { withinMs = installMsMax } = {}): Promise<Extras | null> {
  const { python, dataDir } = input;
  try {
    const missing = await findMissingExtras(python, input.env);
    if (!missing) return null;
    const drafts = join(dataDir, 'python-extras');
    const folder = join(drafts, `${missing.abi}-${await digest(input.requirements)}`);
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0) return { folder, settled: Promise.resolve(), close: async () => {} };
    if (!missing.hasPip) throw new Error('it has no pip');
    return install(input, { folder, drafts, withinMs });
  } catch (error) {
    sayFailure(input, error);
    return null;
  }
}

function install(
  input: ExtrasInput,
  { folder, drafts, withinMs }: { folder: string; drafts: string; withinMs: number },
): Extras {
  const { progress, python } = input;
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(withinMs)]);
  progress(`installing IPython for ${python} beside this (HOLDFAST_PYTHON_EXTRAS=none switches that off)`);
  const settled = removeDrafts(drafts)
    .then(() => installExtras({ ...input, folder, drafts }, signal))
    .then(
      () => progress('IPython is installed: magics work, and plots are shown at once'),
      (error) => {
        if (!stopping.signal.aborted) sayFailure(input, error);
      },
    );
  return {
    folder,
    settled,
    close() {
      stopping.abort();
      return settled;
    },
  };
}

/** Those of a data-plane that was killed. One that its pip still writes to is left to the next start. */
async function removeDrafts(drafts: string): Promise<void> {
  const names = (await readdir(drafts)).filter((name) => name.startsWith('draft-'));
  await Promise.allSettled(names.map((name) => rm(join(drafts, name), { recursive: true, force: true })));
}

function sayFailure({ log, progress, python }: ExtrasInput, error: unknown): void {
  const { name, message } = error as Error;
  const reason = name === 'TimeoutError' ? 'pip did not end in time' : message;
  log.warn({ python, reason }, 'Python kernels lack IPython: it could not be installed');
  progress(
    `Python runs without magics and notebook plots: ${python} lacks IPython, and it was not installed: ${reason}`,
  );
}

const digest = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 12);
