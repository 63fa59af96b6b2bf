import { builtinModules, createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Provides Node's modules as globals, as Node's REPL does. Each is loaded when it is read, and code may declare its name anew. */
export function provideBuiltinModules() {
  for (const name of builtinModules) {
    // As in the REPL, a name that is a global already stays what it is.
    if (!/^[a-z]\w*$/.test(name) || name in globalThis) continue;
    let module;
    const get = () => {
      module ??= require(name);
      return module;
    };
    const set = (value) =>
      Object.defineProperty(globalThis, name, { value, writable: true, enumerable: true, configurable: true });
    Object.defineProperty(globalThis, name, { get, set, enumerable: false, configurable: true });
  }
}
