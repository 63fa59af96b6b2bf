import { importHelper } from './module-globals.js';

let parse;

/** Source whose `import` statements and `import()` calls go to the helper, since neither works in evaluated code. */
export async function rewriteImports(source) {
  if (!/\bimport\b/.test(source)) return source;
  let imports;
  try {
    parse ??= await loadParser();
    [imports] = parse(source);
  } catch {
    // What the lexer cannot read does not compile either, and the compiler says it better.
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
  if (found.phase !== null && found.phase !== undefined) return null;
  if (found.type === 'dynamic') {
    return { start: found.importStart, end: found.importStart + 'import'.length, text: importHelper };
  }
  if (found.type !== 'static' || found.typeOnly) return null;
  const { importStart: start, importEnd: end } = found;
  const statement = source.slice(start, end);
  const clause = source.slice(start + 'import'.length, found.start - 1).replace(/\bfrom\s*$/, '');
  const attributes = found.attributes ? `, { with: ${JSON.stringify(Object.fromEntries(found.attributes))} }` : '';
  const call = `await ${importHelper}(${JSON.stringify(found.specifier)}${attributes})`;
  const bound = bindings(clause.trim(), call);
  if (bound === null) return null;
  const lines = '\n'.repeat(statement.split('\n').length - 1);
  const semicolon = source[end] === ';' ? '' : ';';
  return { start, end, text: bound + lines + semicolon };
}

/** `a, {b as c}` or `a, * as d` as a declaration; null where the clause is something else. */
function bindings(clause, call) {
  if (clause === '') return call;
  const parts = /^(?:([\w$\p{L}]+)\s*,?\s*)?(?:\{([^}]*)\}|\*\s*as\s+([\w$\p{L}]+))?$/u.exec(clause);
  if (!parts) return null;
  const [, byDefault, named, namespace] = parts;
  if (namespace) return `let ${namespace} = ${call}${byDefault ? `, ${byDefault} = ${namespace}.default` : ''}`;
  const names = (named ?? '')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.replace(/\s+as\s+/, ': '));
  return `let { ${[...(byDefault ? [`default: ${byDefault}`] : []), ...names].join(', ')} } = ${call}`;
}
