import { parse } from '../read/parse.js';
import { resolveNames } from '../rewrite/references.js';

const readings = new Map();
const readingsMax = 5000;

/**
 * Reads the text of a function: `{kind, node, names, written, usesSurroundings}`, or null if it cannot be parsed. `kind` is `expression`
 * if the text is one, and `method` if only an object literal can hold it. `names` are those that it takes from outside, `written` those
 * of them that it assigns to. `usesSurroundings` tells whether it uses `this`, `super` or `arguments` of what it stands in.
 */
export function readFunction(text) {
  if (!readings.has(text)) {
    if (readings.size === readingsMax) readings.clear();
    readings.set(text, read(text));
  }
  return readings.get(text);
}

function read(text) {
  const asExpression = parse(`(${text})`);
  const program = asExpression ?? parse(`({${text}})`);
  if (program === null) return null;
  const [statement] = program.body;
  const kind = asExpression ? 'expression' : 'method';
  const node = asExpression ? statement.expression : statement.expression.properties[0]?.value;
  const method = asExpression ? null : statement.expression.properties[0];
  if (!node || (method?.computed && wellKnownSymbol(method.key) === null)) return null;
  const { references } = resolveNames(program);
  return {
    anonymous: anonymousOf(text, node),
    kind,
    node,
    offset: asExpression ? 1 : 2,
    part: asExpression ? null : { init: 'value', get: 'get', set: 'set' }[statement.expression.properties[0].kind],
    names: new Set(references.map(({ name }) => name)),
    written: new Set(references.filter(({ isWritten }) => isWritten).map(({ name }) => name)),
    usesSurroundings: usesSurroundings(node, node.type === 'ArrowFunctionExpression'),
  };
}

function anonymousOf(text, node) {
  if (node.type !== 'FunctionExpression' || !node.id || !/^(async\s+)?function/.test(text)) return null;
  const { start, end, name } = node.id;
  const without = text.slice(0, start - 1) + text.slice(end - 1);
  const references = resolveNames(parse(`(${without})`)).references;
  if (!references.some((reference) => reference.name === name)) return null;
  const written = references.filter(({ isWritten }) => isWritten);
  return {
    text: without,
    names: new Set(references.map(({ name }) => name)),
    written: new Set(written.map(({ name }) => name)),
  };
}

/** `isOpen` says whether `this` is that of the surroundings. `super` always is, except in a class. */
function usesSurroundings(node, isOpen) {
  if (node.type === 'Super') return true;
  if (isOpen && (node.type === 'ThisExpression' || (node.type === 'MetaProperty' && node.meta.name === 'new')))
    return true;
  if (isOpen && node.type === 'Identifier' && node.name === 'arguments') return true;
  if (node.type === 'ClassExpression' || node.type === 'ClassDeclaration')
    return node.superClass ? usesSurroundings(node.superClass, isOpen) : false;
  return childrenOf(node).some((child) =>
    usesSurroundings(child, isOpen && !(child.type === 'FunctionExpression' || child.type === 'FunctionDeclaration')),
  );
}

export function childrenOf(node) {
  return Object.values(node)
    .flat()
    .filter((child) => typeof child?.type === 'string');
}

/** Returns the symbol of an expression such as `Symbol.iterator`, which has the same value at any time, or null. */
export function wellKnownSymbol({ type, computed, object, property }) {
  if (type !== 'MemberExpression' || computed || object.name !== 'Symbol') return null;
  return typeof Symbol[property.name] === 'symbol' ? Symbol[property.name] : null;
}
