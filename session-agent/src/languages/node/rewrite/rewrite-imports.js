import { importHelper, metaHelper, statementHelper } from '../globals/module-globals.js';

let parse;

/** Replaces `import` in all its forms by the names in `module-globals.js`, since no form of it works in evaluated code. */
export async function rewriteImports(source) {
  let imports;
  try {
    parse ??= await loadParser();
    [imports] = parse(source);
  } catch {
    // Source that the lexer cannot read does not compile either, and the compiler's error is better.
    return source;
  }
  let out = '';
  let from = 0;
  for (const found of imports) {
    const replaced = replacement(source, found);
    if (replaced === null) continue;
    out += source.slice(from, replaced.start) + replaced.text;
    from = replaced.end;
  }
  return out + source.slice(from);
}

async function loadParser() {
  const lexer = await import('es-module-lexer');
  await lexer.init();
  return lexer.parse;
}

function replacement(source, found) {
  const { importStart: start, importEnd: end } = found;
  if (found.type === 'import-meta') return { start, end, text: metaHelper };
  if (found.phase !== null && found.phase !== undefined) return null;
  if (found.type === 'dynamic') return { start, end: start + 'import'.length, text: importHelper };
  if (found.type !== 'static' || found.typeOnly) return null;
  const clause = source.slice(start + 'import'.length, found.start - 1).replace(/\bfrom\s*$/, '');
  const bound = declaration(clause.trim(), found);
  if (bound === null) return null;
  const lines = '\n'.repeat(source.slice(start, end).split('\n').length - 1);
  return { start, end, text: bound + lines + (source[end] === ';' ? '' : ';') };
}

/** Turns a clause such as `a, {b as c}` or `a, * as d` into a declaration. Returns null for any other clause. */
function declaration(clause, { specifier, attributes }) {
  const call = (names) => {
    const attributesText = attributes ? JSON.stringify(Object.fromEntries(attributes)) : 'null';
    return `await ${statementHelper}(${JSON.stringify(specifier)}, ${attributesText}, ${JSON.stringify(names)})`;
  };
  if (clause === '') return `void ${call([])}`;
  const parts = /^(?:([\w$\p{L}]+)\s*,?\s*)?(?:\{([^}]*)\}|\*\s*as\s+([\w$\p{L}]+))?$/u.exec(clause);
  if (!parts) return null;
  const [, byDefault, named, namespace] = parts;
  const imported = byDefault ? ['default'] : [];
  if (namespace)
    return `let ${namespace} = ${call(imported)}${byDefault ? `, ${byDefault} = ${namespace}.default` : ''}`;
  const bindings = byDefault ? [`default: ${byDefault}`] : [];
  for (const [name, local] of namedImports(named ?? '')) {
    imported.push(name.replace(/^(['"])(.*)\1$/, '$2'));
    bindings.push(local === undefined ? name : `${name}: ${local}`);
  }
  return `let { ${bindings.join(', ')} } = ${call(imported)}`;
}

function namedImports(clause) {
  return clause
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !/^type\s/.test(name))
    .map((name) => name.split(/\s+as\s+/));
}
