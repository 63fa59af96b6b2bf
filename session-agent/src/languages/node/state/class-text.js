import { childrenOf, readFunction, wellKnownSymbol } from './function-text.js';
import { Refusal } from './refusal.js';

/** Returns the members that evaluating the text of a class makes. */
export function readClass(text, { node, offset }) {
  const members = [];
  if (node.superClass && !isRepeatable(node.superClass))
    throw new Refusal('It extends a value that only an expression of its code can tell.');
  for (const member of node.body.body) {
    const { type, computed, key, static: isStatic, kind, start, end } = member;
    if (computed && wellKnownSymbol(key) === null) throw new Refusal('It has a member with a computed name.');
    if (type === 'AccessorProperty' || member.decorators?.length > 0) throw new Refusal('It has decorators.');
    if (type === 'PropertyDefinition' && isStatic && key.type === 'PrivateIdentifier')
      throw new Refusal('It has a private static field.');
    if (type !== 'MethodDefinition' || kind === 'constructor' || key.type === 'PrivateIdentifier') continue;
    const name = computed ? wellKnownSymbol(key) : (key.name ?? String(key.value));
    const part = kind === 'method' ? 'value' : kind;
    const written = text.slice(start - offset, end - offset).replace(/^static\s+/, '');
    members.push({ isStatic, key: name, part, text: written });
  }
  return members;
}

/** Names, members, calls and choices, which give a class whatever stands in for the names. */
function isRepeatable(node) {
  const all = (...parts) => parts.every(isRepeatable);
  switch (node.type) {
    case 'Identifier':
      return true;
    case 'MemberExpression':
      return all(node.object, ...(node.computed ? [node.property] : []));
    case 'CallExpression':
    case 'NewExpression':
      return all(node.callee, ...node.arguments);
    case 'ConditionalExpression':
      return all(node.test, node.consequent, node.alternate);
    case 'LogicalExpression':
      return all(node.left, node.right);
    default:
      return isInert(node);
  }
}

/** The names in the expression that tells what a class extends. Something must stand in for them while the class is evaluated again. */
export function namesOfBase({ superClass }) {
  const namesIn = (node) => {
    if (node.type === 'Identifier') return [node.name];
    const isPlain = node.type === 'MemberExpression' && !node.computed;
    return (isPlain ? [node.object] : childrenOf(node)).flatMap(namesIn);
  };
  return superClass ? namesIn(superClass) : [];
}

/**
 * Returns the source for evaluation: the text without those static members whose code would run once more. Their values come from the
 * snapshot.
 */
export function classForEvaluation(text, { node, offset }) {
  let source = '';
  let from = 0;
  for (const { type, static: isStatic, value, start, end } of node.body.body) {
    const runsCode = type === 'StaticBlock' || (type === 'PropertyDefinition' && isStatic && value && !isInert(value));
    if (!runsCode) continue;
    source += `${text.slice(from, start - offset)};`;
    from = end - offset;
  }
  return source + text.slice(from);
}

const emptyOnes = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array', 'Object']);

/** Whether evaluating an expression does nothing but make a value. */
function isInert(node) {
  switch (node.type) {
    case 'Literal':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return true;
    case 'TemplateLiteral':
      return node.expressions.length === 0;
    case 'UnaryExpression':
      return node.operator !== 'delete' && isInert(node.argument);
    case 'NewExpression':
      return emptyOnes.has(node.callee.name) && node.arguments.length === 0;
    case 'ArrayExpression':
      return node.elements.every((element) => element === null || isInert(element));
    case 'ObjectExpression':
      return node.properties.every(({ type, computed, value }) => type === 'Property' && !computed && isInert(value));
    default:
      return false;
  }
}

/** Whether the text is that of a class whose instances have private members. */
export function hasPrivateMembers(text) {
  if (!text.startsWith('class') || !text.includes('#')) return false;
  const members = readFunction(text)?.node.body.body ?? [];
  return members.some(({ key, static: isStatic }) => key?.type === 'PrivateIdentifier' && !isStatic);
}
