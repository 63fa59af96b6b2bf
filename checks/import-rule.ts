import { posix } from 'node:path';
import { environmentReaders, libraries, parts, typesForAll } from './import-table.ts';
import { readModule } from './read-module.ts';

/** What the module does against the rule, each as one sentence. `path` is relative to the repository. */
export function violationsOf({ path, code }: { path: string; code: string }): string[] {
  const part = partOf(path);
  if (!part) return [`${path} belongs to no part of the table`];
  const { imports, readsEnvironment } = readModule(code);
  const found = imports.map(({ specifier, typeOnly }) => {
    if (specifier.startsWith('node:')) return null;
    if (specifier.startsWith('.')) return localViolation({ path, part, specifier, typeOnly });
    return libraryViolation(path, specifier);
  });
  if (readsEnvironment && !environmentReaders.some((reader) => isIn(path, reader))) {
    found.push(`${path} reads process.env, which is for the configuration`);
  }
  return found.filter((violation) => violation !== null);
}

type LocalImport = { path: string; part: string; specifier: string; typeOnly: boolean };

function localViolation({ path, part, specifier, typeOnly }: LocalImport): string | null {
  const target = posix.join(posix.dirname(path), specifier);
  const targetPart = partOf(target);
  if (!targetPart) return `${path} imports ${target}, which belongs to no part of the table`;
  const allowed = targetPart === part || (parts[part] ?? []).some((other) => isIn(target, other));
  const samePackage = target.split('/')[0] === path.split('/')[0];
  if (allowed || (typeOnly && samePackage && typesForAll.includes(targetPart))) return null;
  return `${path} imports ${target}: ${part} may not import ${targetPart}`;
}

function libraryViolation(path: string, specifier: string): string | null {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (name === '@holdfast/specs') return path.startsWith('specs/') ? `${path} imports its own package by name` : null;
  const homes = libraries[name];
  if (!homes) return `${path} imports ${name}, which has no home in the table`;
  return homes.some((home) => isIn(path, home))
    ? null
    : `${path} imports ${name}, which is at home in ${homes.join(', ')}`;
}

/** The longest entry of the table that the path lies in; `…/*` stands for the files of a folder that have no entry of their own. */
function partOf(path: string): string | undefined {
  const longestFirst = Object.keys(parts).toSorted((a, b) => b.length - a.length);
  const own = longestFirst.find((part) => isIn(path, part));
  const siblings = `${posix.dirname(path)}/*`;
  return own ?? (siblings in parts ? siblings : undefined);
}

const isIn = (path: string, part: string) => path === part || path.startsWith(`${part}/`);
