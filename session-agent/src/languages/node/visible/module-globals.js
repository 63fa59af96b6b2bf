import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { importHelper, metaHelper, statementHelper } from './import-names.js';

/** What a module has, as if each step were a file in the directory that is the working directory when it is used. */
export function provideModuleGlobals() {
  const here = followFolder();
  const require = followingRequire(here);
  const module = { exports: {}, id: '[step]', loaded: false, children: [], paths: [], require };
  define('require', { value: require, writable: true });
  define('module', { value: module, writable: true });
  define('exports', { value: module.exports, writable: true });
  defineGetter('__filename', () => here().filename);
  defineGetter('__dirname', () => here().folder);
  define(importHelper, { value: (specifier, options) => here().importModule(specifier, options) });
  define(metaHelper, { value: importMeta(here) });
  const importNames = async (specifier, attributes, names) => {
    const namespace = await here().importModule(specifier, attributes ? { with: attributes } : undefined);
    for (const name of names) if (!(name in namespace)) throw new SyntaxError(missing(specifier, name));
    return namespace;
  };
  define(statementHelper, { value: importNames });
}

/** What depends on the working directory, made once for each. */
function followFolder() {
  const made = new Map();
  let folder = process.cwd();
  return () => {
    try {
      folder = process.cwd();
    } catch {
      // It was removed, and stays the place that names are looked up from.
    }
    if (!made.has(folder)) made.set(folder, inFolder(folder));
    return made.get(folder);
  };
}

function inFolder(folder) {
  const filename = join(folder, '[step]');
  const importModule = vm.runInThisContext('(specifier, options) => import(specifier, options)', {
    filename,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return { folder, filename, importModule, require: createRequire(filename) };
}

function followingRequire(here) {
  const require = (id) => here().require(id);
  require.resolve = (...args) => here().require.resolve(...args);
  require.resolve.paths = (...args) => here().require.resolve.paths(...args);
  const { main, extensions, cache } = here().require;
  return Object.assign(require, { main, extensions, cache });
}

function importMeta(here) {
  return Object.create(null, {
    url: { enumerable: true, get: () => pathToFileURL(here().filename).href },
    filename: { enumerable: true, get: () => here().filename },
    dirname: { enumerable: true, get: () => here().folder },
    main: { enumerable: true, value: true },
    resolve: { enumerable: true, value: (specifier) => resolveFrom(here().filename, specifier) },
  });
}

function resolveFrom(filename, specifier) {
  if (/^[a-z][a-z\d+.-]+:/i.test(specifier)) return new URL(specifier).href;
  if (/^\.{0,2}\//.test(specifier)) return new URL(specifier, pathToFileURL(filename)).href;
  const found = createRequire(filename).resolve(specifier);
  return found.startsWith('/') ? pathToFileURL(found).href : `node:${found.replace(/^node:/, '')}`;
}

function missing(specifier, name) {
  return `The requested module '${specifier}' does not provide an export named '${name}'`;
}

function define(name, property) {
  Object.defineProperty(globalThis, name, { configurable: true, enumerable: false, ...property });
}

/** Code may declare or assign the name as its own. */
function defineGetter(name, get) {
  define(name, { get, set: (value) => define(name, { value, writable: true, enumerable: true }) });
}
