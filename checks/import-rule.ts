import { posix } from 'node:path';
import { environmentReaders, libraries, parts, typesForAll } from './import-table.ts';
import { readModule } from './read-module.ts';

/** `path` is relative to the repository. */
export type Module = { path: string; code: string };

/** The faults of one module, one sentence each. */
export function violationsOf({ path, code }: Module): string[] {
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
  const allowed = targetPart === part || (parts[part] ?? []).some((other) => entryCovers(other, target));
  const samePackage = target.split('/')[0] === path.split('/')[0];
  if (allowed || (typeOnly && samePackage && typesForAll.some((other) => isIn(target, other)))) return null;
  return `${path} imports ${target}: ${part} may not import ${targetPart}`;
}

const ourPackages: ReadonlySet<string> = new Set(['@holdfast/specs', '@holdfast/connections']);

function libraryViolation(path: string, specifier: string): string | null {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (ourPackages.has(name))
    return name === `@holdfast/${path.split('/')[0]}` ? `${path} imports its own package by name` : null;
  const homes = libraries[name];
  if (!homes) return `${path} imports ${name}, which has no home in the table`;
  return homes.some((home) => isIn(path, home))
    ? null
    : `${path} imports ${name}, which is at home in ${homes.join(', ')}`;
}

/** An entry of the table allows its own part, and not a part below it that has an entry of its own. */
const entryCovers = (entry: string, target: string) =>
  isIn(target, entry) && partOf(target) === (partOf(entry) ?? entry);

/** The longest entry of the table that contains the path. */
export function partOf(path: string): string | undefined {
  return longestFirst.find((part) => isIn(path, part));
}

const longestFirst = Object.keys(parts).toSorted((a, b) => b.length - a.length);

export const isIn = (path: string, part: string) => path === part || path.startsWith(`${part}/`);

/** The parts of the table that the modules do not need: entries without a file, permissions and homes that no import uses. */
export function surplusOf(modules: readonly Module[]): string[] {
  const paths = modules.map(({ path }) => path);
  const missing = Object.keys(parts).filter((part) => !paths.some((path) => partOf(path) === part));
  const used = modules.flatMap(({ path, code }) =>
    readModule(code).imports.map(({ specifier }) => ({
      from: partOf(path),
      path,
      target: specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier,
    })),
  );
  const idle = Object.entries(parts).flatMap(([part, allowed]) =>
    allowed
      .filter((entry) => !used.some(({ from, target }) => from === part && entryCovers(entry, target)))
      .map((entry) => `${part} never imports ${entry}`),
  );
  const homeless = Object.entries(libraries).flatMap(([name, homes]) =>
    homes
      .filter((home) => !used.some(({ path, target }) => isIn(path, home) && isIn(target, name)))
      .map((home) => `${home} never imports ${name}`),
  );
  return [...missing.map((part) => `${part} has no module`), ...idle, ...homeless];
}
