import { readFileSync } from 'node:fs';
import vm from 'node:vm';

/**
 * Imports a module, and all that it imports, into a realm with intrinsics of its own: what the user's code does to
 * `Array.prototype`, `JSON` or `Promise` does not reach it. Its frames are known by `holdfast:` in the place of a path.
 */
export async function importInOwnRealm(url) {
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  // The lexer of imports is the one that asks for more than the language has.
  context.atob = atob;
  const modules = new Map();

  const load = async (specifier, from) => {
    const known = modules.get(specifier);
    if (known) return known;
    if (specifier.startsWith('node:')) return keep(specifier, await builtin(specifier, context));
    const at = specifier.startsWith('.') ? new URL(specifier, from) : new URL(import.meta.resolve(specifier));
    return modules.get(at.href) ?? keep(at.href, read(at));
  };
  const keep = (key, module) => {
    modules.set(key, module);
    return module;
  };
  const read = (at) =>
    new vm.SourceTextModule(readFileSync(at, 'utf8'), {
      context,
      identifier: `holdfast:${at.pathname.slice(at.pathname.lastIndexOf('/') + 1)}`,
      initializeImportMeta: (meta) => {
        meta.url = at.href;
      },
      importModuleDynamically: (specifier) => evaluated(specifier, at),
    });
  const evaluated = async (specifier, from) => {
    const module = await load(specifier, from);
    if (module.status === 'unlinked') await module.link((name) => load(name, url));
    if (module.status === 'linked') await module.evaluate();
    return module;
  };
  return (await evaluated(`./${url.pathname.split('/').at(-1)}`, url)).namespace;
}

/** What Node offers, as it is before any step can replace it. */
async function builtin(specifier, context) {
  const exported = await import(specifier);
  const fill = () => {
    for (const [name, value] of Object.entries(exported)) module.setExport(name, value);
  };
  const module = new vm.SyntheticModule(Object.keys(exported), fill, { context, identifier: specifier });
  return module;
}
