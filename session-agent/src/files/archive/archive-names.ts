import { Problem, workspacePath } from '@holdfast/specs/public';
import { archiveLimits } from './archive-limits.ts';

/** Remembers the names in one archive and rejects those that an honest archive does not contain. */
export type ArchiveNames = { admit: (name: string, kind: 'file' | 'directory') => string };

/**
 * `admit` returns a name as a path relative to the directory where the archive is unpacked.
 * @throws Problem `archive-refused`: absolute, `..`, too deep, not UTF-8, a file twice, a file that is also a directory, too many entries
 */
export function createArchiveNames(): ArchiveNames {
  const files = new Set<string>();
  const directories = new Set<string>();
  let entries = 0;

  return {
    admit(name, kind) {
      if (++entries > archiveLimits.entriesMax) throw refused(`it has more than ${archiveLimits.entriesMax} entries`);
      const path = name.startsWith('/') || name.includes('\uFFFD') ? null : workspacePath(name);
      if (path === null || (path === '' && kind === 'file')) throw refused('a name leads outside the archive', name);
      const parents = parentsOf(path);
      if (parents.length >= archiveLimits.depthMax) throw refused('a name has too many levels', name);
      if (files.has(path) || (kind === 'file' && directories.has(path))) throw refused('a name occurs twice', name);
      if (parents.some((parent) => files.has(parent))) throw refused('a file is also a directory', name);
      for (const parent of parents) directories.add(parent);
      (kind === 'file' ? files : directories).add(path);
      return path;
    },
  };
}

function parentsOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** The rejection of an archive, with the name of the entry at fault. */
export function refused(reason: string, name?: string): Problem {
  return new Problem('archive-refused', {
    detail: name === undefined ? reason : `${reason}: ${JSON.stringify(name.slice(0, 200))}`,
  });
}
