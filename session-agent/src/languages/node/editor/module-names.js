import { readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { ownList } from '../realm/users-realm.js';

/** Yields the modules that could complete a specifier after its last slash: files, packages and Node's own modules. */
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
