import { assignmentMessage } from './constants.js';
import { defineHelper } from './module-globals.js';

/** The function that replaces the `import` statements of a step, and the object of live names, of which scripts have variables as well. */
export const statementHelper = '$imports$';
export const liveHelper = '$live$';

const { defineProperty } = Object;

/** Provides both. An imported name is a getter, so that it follows the module's variable, and cannot be assigned to. */
export function provideImports(importModule) {
  const live = Object.create(null);
  let onImport = () => {};

  const bind = (namespace, { name, local, isTaken }, { specifier, attributes }) => {
    if (local === undefined) return;
    const get = () => (name === '*' ? namespace : namespace[name]);
    const set = () => {
      throw new TypeError(assignmentMessage);
    };
    defineProperty(isTaken ? live : globalThis, local, { get, set, configurable: true, enumerable: true });
    onImport({ get, local, isTaken, specifier, attributes, imported: name });
  };

  defineHelper(liveHelper, live);
  defineHelper(statementHelper, async (loads) => {
    const namespaces = [];
    for (let index = 0; index < loads.length; index++) {
      const { specifier, attributes } = loads[index];
      namespaces[index] = await importModule(specifier, attributes ? { with: attributes } : undefined);
      requireNames(namespaces[index], loads[index]);
    }
    for (let index = 0; index < loads.length; index++) {
      const { bindings } = loads[index];
      for (let at = 0; at < bindings.length; at++) bind(namespaces[index], bindings[at], loads[index]);
    }
  });
  return {
    /** `listener` gets each imported name: `{get, local, isTaken, specifier, attributes, imported}`. */
    onImport(listener) {
      onImport = listener;
    },
  };
}

function requireNames(namespace, { specifier, bindings }) {
  for (let at = 0; at < bindings.length; at++) {
    const { name, isOptional } = bindings[at];
    if (name === '*' || isOptional || name in namespace) continue;
    throw new SyntaxError(`The requested module '${specifier}' does not provide an export named '${name}'`);
  }
}
