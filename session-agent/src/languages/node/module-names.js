import { readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { ownList } from './own-list.js';

/** Modules that a specifier could go on to name, from its last slash on: files, packages and what Node has. */
export function* moduleNames(specifier) {
  const folder = specifier.slice(0, specifier.lastIndexOf('/') + 1);
  if (/^\.{0,2}\//.test(specifier)) {
    yield* entries(join(process.cwd(), folder), specifier.startsWith('/') ? folder : undefined);
    return;
  }
  for (const name of ownList(builtinModules)) {
    if (name.startsWith('_')) continue;
    for (const builtin of [name, `node:${name}`]) {
      if (builtin.startsWith(folder)) yield [builtin.slice(folder.length).replace(/^node:node:/, 'node:'), 'module'];
    }
  }
  for (let at = process.cwd(); ; at = dirname(at)) {
    for (const [name] of entries(join(at, 'node_modules', folder))) yield [name, 'module'];
    if (at === dirname(at)) return;
  }
}

function* entries(path, absolute) {
  for (const entry of list(absolute ?? path)) {
    if (!entry.name.startsWith('.')) yield [entry.isDirectory() ? `${entry.name}/` : entry.name, 'file'];
  }
}

function list(path) {
  try {
    return ownList(readdirSync(path, { withFileTypes: true }));
  } catch {
    return [];
  }
}
