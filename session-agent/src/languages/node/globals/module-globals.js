import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

/** The names that replace `import` in `import(…)`, and `import.meta`. They have the same length, so that columns stay the same. */
export const importHelper = '$impt$';
export const metaHelper = '$importmeta';

/** A URL has it as it is, since programs compare `import.meta.url` with `file://${process.argv[1]}`. */
const fileOfSteps = '(step)';

/**
 * Provides the globals of a module, as if each step were a file in the current working directory. Returns its `import`, and `onLoad`, whose
 * listener gets what `import` and `require` have loaded: `(exported, {kind, specifier, attributes})`.
 */
export function provideModuleGlobals() {
  const here = followFolder();
  let loaded = () => {};
  const require = followingRequire(here, (exported, specifier) => loaded(exported, { kind: 'require', specifier }));
  const module = { exports: {}, id: '.', loaded: false, children: [], paths: [], require };
  // Programs ask in these ways whether they are run or imported.
  require.main = module;
  process.argv[1] = here().filename;
  define('require', { value: require, writable: true });
  define('module', { value: module, writable: true });
  define('exports', { value: module.exports, writable: true });
  defineGetter('__filename', () => here().filename);
  defineGetter('__dirname', () => here().folder);
  const importModule = (specifier, options) => {
    const loading = here().importModule(specifier, options);
    noteLoaded(loading, (exported) => loaded(exported, { kind: 'import', specifier, attributes: options?.with }));
    return loading;
  };
  defineHelper(importHelper, importModule);
  defineHelper(metaHelper, importMeta(here));
  const onLoad = (listener) => {
    loaded = listener;
  };
  return { importModule, onLoad };
}

/** Before the code that waits for it goes on. */
async function noteLoaded(loading, note) {
  try {
    note(await loading);
  } catch {
    // The code that waits for it gets the error.
  }
}

/** Defines a name that rewritten code relies on, so that no step can replace it. */
export function defineHelper(name, value) {
  Object.defineProperty(globalThis, name, { value });
}

/** Returns a function that gives the globals for the current working directory, which are made once for each directory. */
function followFolder() {
  const made = new Map();
  let folder = process.cwd();
  return () => {
    try {
      folder = process.cwd();
    } catch {
      // The directory was removed. Names are still resolved from its path.
    }
    if (!made.has(folder)) made.set(folder, inFolder(folder));
    return made.get(folder);
  };
}

function inFolder(folder) {
  const filename = join(folder, fileOfSteps);
  const importModule = vm.runInThisContext('(specifier, options) => import(specifier, options)', {
    filename,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return { folder, filename, importModule, require: createRequire(filename) };
}

function followingRequire(here, loaded) {
  const require = (id) => {
    const exported = here().require(id);
    loaded(exported, id);
    return exported;
  };
  require.resolve = (...args) => here().require.resolve(...args);
  require.resolve.paths = (...args) => here().require.resolve.paths(...args);
  const { extensions, cache } = here().require;
  return Object.assign(require, { extensions, cache });
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

function define(name, property) {
  Object.defineProperty(globalThis, name, { configurable: true, enumerable: false, ...property });
}

/** Defines a getter that code may replace by declaring or assigning the name. */
function defineGetter(name, get) {
  define(name, { get, set: (value) => define(name, { value, writable: true, enumerable: true }) });
}
