import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Takes from Node's own modules only the exports that are used. Node loads some of them when they are first read, and an import of a module
 * reads all of its exports: one of `node:crypto` loads the Web Cryptography API, which every sandbox would hold in memory.
 */
export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' && builtinModules.includes(path.slice('node:'.length))
        ? { path, namespace: 'builtin' }
        : null,
    );
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: moduleOf(path), loader: 'js' }));
  },
};

/** Every export is the result of a pure call, so the bundler leaves out those that are not used. */
function moduleOf(path: string): string {
  const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== 'default');
  const exports = names.map((name) => `const export_${name} = /* @__PURE__ */ read('${name}');`);
  return [
    `const builtin = process.getBuiltinModule('${path}');`,
    'const read = (name) => builtin[name];',
    'export default builtin;',
    ...exports,
    `export { ${names.map((name) => `export_${name} as ${name}`).join(', ')} };`,
  ].join('\n');
}
