import { posix } from 'node:path';
import type { Module } from './import-rule.ts';
import { readModule } from './read-module.ts';

/**
 * The circles in which folders import each other, types included, each as the sorted names of its folders followed by the imports
 * that close it. A file that lies directly in a package's `src` counts as a folder of its own.
 *
 * @param folderOf what counts as the folder of a path; the parts of the import table find circles that run through subfolders
 */
export function folderCircles(modules: readonly Module[], folderOf: (path: string) => string = ownFolder): string[] {
  const graph = new Map<string, Set<string>>();
  const imports = modules.flatMap(({ path, code }) =>
    readModule(code)
      .imports.filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => ({ path, target: posix.join(posix.dirname(path), specifier) })),
  );
  for (const { path, target } of imports) {
    const targets = graph.get(folderOf(path)) ?? new Set();
    graph.set(folderOf(path), targets.add(folderOf(target)));
  }
  const circles = new Map<string, string[]>();
  for (const { path, target } of imports) {
    const [from, to] = [folderOf(path), folderOf(target)];
    if (from === to || !reach(graph, to).has(from)) continue;
    const circle = [...reach(graph, from)].filter((folder) => reach(graph, folder).has(from)).toSorted();
    const key = circle.join(', ');
    circles.set(key, [...(circles.get(key) ?? []), `${path} imports ${target}`]);
  }
  return [...circles].map(([folders, found]) => `${folders}:\n  ${found.join('\n  ')}`);
}

const ownFolder = (path: string) => (/^[^/]+\/src$/.test(posix.dirname(path)) ? path : posix.dirname(path));

/** Every folder that can be reached from this one, itself only by a circle. */
function reach(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string): Set<string> {
  const reached = new Set<string>();
  const open = [...(graph.get(from) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(graph.get(next) ?? []));
  }
  return reached;
}
