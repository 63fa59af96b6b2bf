import { liveHelper, statementHelper } from '../globals/imports.js';
import { importHelper, metaHelper } from '../globals/module-globals.js';

/**
 * Replaces `import` in all its forms by the names in `module-globals.js`, since no form of it works in evaluated code. All statements
 * that load modules become one call at its beginning. Names in `taken` are assigned once, and are live in `liveHelper` alone.
 */
export function rewriteImports(edits, { program, resolved, taken, at, isTyped }) {
  for (const node of resolved.imports) {
    if (node.type === 'MetaProperty') edits.pad(node, metaHelper);
    else edits.pad({ start: node.start, end: node.start + 'import'.length }, importHelper);
  }
  const loading = program.body.filter(({ source }) => source);
  if (loading.length === 0) return;
  const used = new Set(resolved.references.map(({ name }) => name));
  const bindings = (specifiers = []) =>
    specifiers.map((specifier) => {
      if (specifier.type === 'ExportSpecifier') return { name: nameOf(specifier.local) };
      const local = specifier.local.name;
      // TypeScript lets code import a type as if it were a value, which the module does not export.
      return {
        name: importedName(specifier),
        local,
        isTaken: taken.has(local),
        isOptional: isTyped && !used.has(local),
      };
    });
  const loads = loading.map((node) => ({
    specifier: node.source.value,
    attributes: attributesOf(node),
    bindings: bindings(node.specifiers),
  }));
  for (const node of loading) edits.pad(node);
  edits.insert(at, `await ${statementHelper}(${JSON.stringify(loads)}); `);
  const assigned = loads.flatMap(({ bindings }) => bindings.filter(({ isTaken }) => isTaken));
  for (const { local } of assigned) edits.insert(at, `var {} = (${local} = ${liveHelper}.${local}, 0); `);
}

function importedName({ type, imported }) {
  if (type === 'ImportNamespaceSpecifier') return '*';
  return type === 'ImportDefaultSpecifier' ? 'default' : nameOf(imported);
}

/** Returns the name of a module's export, which may be written as a string. */
function nameOf(node) {
  return node.name ?? node.value;
}

function attributesOf({ attributes = [] }) {
  if (attributes.length === 0) return null;
  return Object.fromEntries(attributes.map(({ key, value }) => [nameOf(key), value.value]));
}
