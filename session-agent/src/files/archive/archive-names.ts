import { Problem, workspacePath } from '@holdfast/specs/public';
import { archiveLimits } from './archive-limits.ts';

/** Keeps the names of one archive and says no to those that no honest archive has. */
export type ArchiveNames = { admit: (name: string, kind: 'file' | 'directory') => string };

/**
 * `admit` gives a name as a path below where the archive is unpacked.
 * @throws Problem `archive-refused`: absolute, `..`, too deep, not UTF-8, a file twice, a file that is a directory too, too many
 */
export function createArchiveNames(): ArchiveNames {
  const files = new Set<string>();
  const directories = new Set<string>();
  let entries = 0;

  return {
    admit(name, kind) {
      if (++entries > archiveLimits.entriesMax) throw refused(`it has more than ${archiveLimits.entriesMax} entries`);
      const path = name.startsWith('/') || name.includes('\uFFFD') ? null : workspacePath(name);
      if (path === null || (path === '' && kind === 'file')) throw refused('a name leads elsewhere', name);
      const parents = parentsOf(path);
      if (parents.length >= archiveLimits.depthMax) throw refused('a name is too deep', name);
      if (files.has(path) || (kind === 'file' && directories.has(path))) throw refused('a name comes twice', name);
      if (parents.some((parent) => files.has(parent))) throw refused('a file is a directory too', name);
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

/** The refusal of an archive, with the name that it is about. */
export function refused(what: string, name?: string): Problem {
  return new Problem('archive-refused', {
    detail: name === undefined ? what : `${what}: ${JSON.stringify(name.slice(0, 200))}`,
  });
}
