import { createRequire } from 'node:module';
import { join } from 'node:path';
import vm from 'node:vm';

/** Stands in for `import` in steps. Exactly as long as the word, so that columns stay what they are. */
export const importHelper = '$impt$';

/** What a CommonJS module has, and an `import()` that resolves from the working directory. */
export function provideModuleGlobals() {
  const filename = join(process.cwd(), '[step]');
  const require = createRequire(filename);
  const importFrom = vm.runInThisContext('(specifier, options) => import(specifier, options)', {
    filename,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {}, id: '[step]', filename, loaded: false, children: [], paths: [], require };
  const globals = { require, module, exports: module.exports, __filename: filename, __dirname: process.cwd() };
  for (const [name, value] of Object.entries({ ...globals, [importHelper]: importFrom })) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
}
