import { topLevelOf } from '../rewrite/top-level.js';
import { parse, parseObjectLiteral } from './parse.js';
import { stripTypes } from './strip-types.js';
import { transform } from './transform.js';
import { hasTypeArguments, mayHaveTypeArguments } from './type-arguments.js';

const transformSign = /[@<]|\baccessor\b/;
const merged = /\b(?:enum|namespace|module)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;

/** Whether the source is an object literal rather than a block, if it can be read as one. Node's REPL decides in the same way. */
export function mayBeObject(code) {
  return /^\s*\{/.test(code) && !/;\s*$/.test(code);
}

/**
 * Reads a step as a tree: `{source, program, topLevel, isObject, isTyped, fresh, map}`. TypeScript comes without its types; `map` is null
 * if that has kept all positions, and `fresh` has names that must not keep the value of an earlier step. Returns null if the code is
 * neither JavaScript nor TypeScript, and no `program` if it is TypeScript that does not parse without its types.
 */
export function readStep(code, { isBound }) {
  const plain = readJavaScript(code);
  if (plain !== null && !(mayHaveTypeArguments(code) && hasTypeArguments(plain.program, code))) return plain;
  const stripped = stripTypes(code);
  if (plain !== null && stripped?.code === code) return plain;
  if (stripped?.code) {
    const read = readJavaScript(stripped.code);
    if (read !== null) return { ...read, isTyped: true };
    if (!transformSign.test(code)) return { source: stripped.code, program: null };
  }
  if (!stripped?.isUnsupported && !transformSign.test(code)) return plain;
  return readTransformed(code, isBound) ?? plain;
}

function readTransformed(code, isBound) {
  const transformed = transform(code, { hasReact: /\bReact\b/.test(code) || isBound('React') });
  const read = transformed && readJavaScript(transformed.code);
  if (!read) return null;
  const fresh = new Set([...code.matchAll(merged)].map(([, name]) => name));
  return { ...read, isTyped: true, fresh, map: transformed.map };
}

function readJavaScript(source) {
  const object = mayBeObject(source) ? parseObjectLiteral(source) : null;
  const program = object ?? parse(source);
  if (program === null) return null;
  return {
    source,
    program,
    topLevel: topLevelOf(program),
    isObject: object !== null,
    isTyped: false,
    fresh: new Set(),
    map: null,
  };
}
