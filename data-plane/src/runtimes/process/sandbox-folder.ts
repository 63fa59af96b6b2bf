import { mkdir, open, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from './remove-tree.ts';

/** The facts about a sandbox that `/proc` does not show. */
export type SandboxRecord = {
  uid: string;
  endpoint: string | null;
  /** The database of its data-plane. An earlier version did not write it down. */
  database?: string | undefined;
};

/** Stands for the uid of a sandbox if only its folder is left and has no readable record. */
export const unknownUid = 'unknown';

export type SandboxFolder = ReturnType<typeof sandboxFolder>;

/**
 * The files of one sandbox: `sandbox.json`, `agent.log`, the workspace of its code and the temporary files of its agent.
 * @throws Error if the name could lead to another folder
 */
export function sandboxFolder(sandboxesDir: string, name: string) {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name))
    throw new Error(`${JSON.stringify(name)} is not the name of a sandbox`);
  const path = join(sandboxesDir, name);
  const recordPath = join(path, 'sandbox.json');
  const logPath = join(path, 'agent.log');
  const workspace = join(path, 'workspace');
  const tmp = join(path, 'tmp');
  return {
    workspace,
    /** For the temporary files of the agent, which end with the sandbox, however the agent ends. */
    tmp,

    /** Creates the folder for this incarnation, and removes an earlier one. */
    async create(record: SandboxRecord): Promise<void> {
      await removeTree(path);
      await mkdir(workspace, { recursive: true, mode: 0o700 });
      await mkdir(tmp, { mode: 0o700 });
      await writeFile(recordPath, JSON.stringify(record), { mode: 0o600 });
    },

    /** Replaces the record atomically, so that no reader sees half of it. */
    async write(record: SandboxRecord): Promise<void> {
      await writeFile(`${recordPath}.new`, JSON.stringify(record), { mode: 0o600 });
      await rename(`${recordPath}.new`, recordPath);
    },

    /** The record, or null if none is there or it cannot be read. */
    async read(): Promise<SandboxRecord | null> {
      const text = await readFile(recordPath, 'utf8').catch(() => '');
      return parseRecord(text);
    },

    /** When the folder was created, or null if there is none. */
    async createdAt(): Promise<Date | null> {
      return stat(path).then(
        (stats) => stats.birthtime,
        () => null,
      );
    },

    openLog: () => open(logPath, 'a', 0o600),

    /** The end of the agent's log, at most 4 KiB. */
    async logTail(): Promise<string> {
      const log = await readFile(logPath, 'utf8').catch(() => '');
      return log.slice(-4096).trim();
    },

    remove: () => removeTree(path),
  };
}

/** The names of all sandboxes that have a folder. */
export async function sandboxNames(sandboxesDir: string): Promise<string[]> {
  const entries = await readdir(sandboxesDir, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

function parseRecord(text: string): SandboxRecord | null {
  try {
    const { uid, endpoint, database } = JSON.parse(text);
    const valid = typeof uid === 'string' && (endpoint === null || typeof endpoint === 'string');
    return valid ? { uid, endpoint, ...(typeof database === 'string' && { database }) } : null;
  } catch {
    return null;
  }
}
