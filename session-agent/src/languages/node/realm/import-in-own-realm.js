import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { ownMethods } from './own-methods.js';

/**
 * Imports a module, and all that it imports, into a realm with intrinsics of its own, so that changes of the user's code to
 * `Array.prototype`, `JSON` or `Promise` do not reach it. In stacks its files have `holdfast:` in the place of a path.
 */
export async function importInOwnRealm(url) {
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  // `magic-string` makes one when it is loaded. This global is not part of the language.
  context.TextDecoder = class {
    constructor() {
      // biome-ignore lint/correctness/noConstructorReturn: the methods have to be the object's own.
      return ownMethods(new TextDecoder());
    }
  };
  const modules = new Map();
  const addresses = new Map();

  const load = async (specifier, from) => {
    const known = modules.get(specifier);
    if (known) return known;
    if (specifier.startsWith('node:')) return remember(specifier, await builtin(specifier, context));
    const at = specifier.startsWith('.') ? new URL(specifier, from) : new URL(import.meta.resolve(specifier, from));
    return modules.get(at.href) ?? remember(at.href, read(at));
  };
  const remember = (key, module) => {
    modules.set(key, module);
    return module;
  };
  const read = (at) => {
    const module = new vm.SourceTextModule(readFileSync(at, 'utf8'), {
      context,
      identifier: `holdfast:${at.pathname.slice(at.pathname.lastIndexOf('/') + 1)}`,
      initializeImportMeta: (meta) => {
        meta.url = at.href;
      },
      importModuleDynamically: (specifier) => evaluated(specifier, at),
    });
    addresses.set(module, at);
    return module;
  };
  const evaluated = async (specifier, from) => {
    const module = await load(specifier, from);
    if (module.status === 'unlinked') await module.link((name, importer) => load(name, addresses.get(importer)));
    if (module.status === 'linked') await module.evaluate();
    return module;
  };
  return (await evaluated(`./${url.pathname.split('/').at(-1)}`, url)).namespace;
}

/** A module of Node with its exports as they are now, before any step can replace them. */
async function builtin(specifier, context) {
  const exported = await import(specifier);
  const fill = () => {
    for (const [name, value] of Object.entries(exported)) module.setExport(name, value);
  };
  const module = new vm.SyntheticModule(Object.keys(exported), fill, { context, identifier: specifier });
  return module;
}
