import { withoutExport } from '../rewrite/top-level.js';
import { effectsOf, moduleReachesAll, requiredBy } from './effects.js';
import { readFunction } from './function-text.js';

const printers = new Set(['log', 'info', 'debug', 'warn', 'error', 'table', 'dir']);

/**
 * Reads a step without running it: `{definitions, effects}`. A definition is `{name, binding, source}`, whose source has the same value whenever
 * it is evaluated, or `{imports}`. Everything else is an effect.
 */
export function readEffects({ source, program }, isPrimitive) {
  const statements = program.body.map(withoutExport);
  const areNowPrimitive = new Map();
  const isPrimitiveNow = (name) => areNowPrimitive.get(name) ?? isPrimitive(name);
  const definitions = [];
  const assignments = [];
  const others = [];
  for (const node of [...statements.filter(isHoisted), ...statements.filter((node) => !isHoisted(node))]) {
    const defined = definitionsIn(node, source);
    const assigned = defined ? null : assignmentsIn(node, source, isPrimitiveNow);
    for (const { name, isPrimitive: isOne } of defined ?? []) areNowPrimitive.set(name, isOne === true);
    for (const { name } of assigned ?? []) areNowPrimitive.set(name, true);
    if (defined) definitions.push(...defined);
    else if (assigned) {
      definitions.push(...assigned);
      assignments.push({ node, assigned });
    } else if (!isHarmless(node, isPrimitiveNow)) others.push(node);
  }
  if (others.length === 0) return { definitions, effects: effectsOf([]) };
  // Something else may come before an assignment.
  const uncertain = new Set(assignments.flatMap(({ assigned }) => assigned));
  others.push(...assignments.map(({ node }) => node));
  return { definitions: definitions.filter((one) => !uncertain.has(one)), effects: effectsOf(others) };
}

const isHoisted = ({ type }) => type === 'FunctionDeclaration' || type === 'ImportDeclaration';

/** Assignments of what primitive values alone decide. */
function assignmentsIn(node, source, isPrimitive) {
  const text = ({ start, end }) => source.slice(start, end);
  const isComputed = (expression) => isPure(expression, isPrimitive);
  if (node.type === 'VariableDeclaration') {
    const { declarations, kind } = node;
    if (kind.includes('using')) return null;
    if (!declarations.every(({ id, init }) => id.type === 'Identifier' && init && isComputed(init))) return null;
    return declarations.map(({ id: { name }, init }) => ({ name, binding: kind, source: text(init) }));
  }
  const expression = node.type === 'ExpressionStatement' ? node.expression : null;
  if (expression?.type === 'UpdateExpression' && isComputed(expression.argument)) {
    const { argument, operator } = expression;
    return [
      {
        name: argument.name,
        source: `(() => { let $value$ = ${argument.name}; $value$${operator}; return $value$ })()`,
      },
    ];
  }
  if (expression?.type !== 'AssignmentExpression' || expression.left.type !== 'Identifier') return null;
  const { left, right, operator } = expression;
  if (!isComputed(right) || (operator !== '=' && !isComputed(left))) return null;
  const value = operator === '=' ? text(right) : `${left.name} ${operator.slice(0, -1)} (${text(right)})`;
  return [{ name: left.name, source: value }];
}

/** Whether an expression only computes with primitive values, which runs no code of objects. */
function isPure(node, isPrimitive) {
  switch (node.type) {
    case 'Literal':
      return !node.regex;
    case 'Identifier':
      return isPrimitive(node.name);
    case 'TemplateLiteral':
      return node.expressions.every((part) => isPure(part, isPrimitive));
    case 'UnaryExpression':
      return node.operator !== 'delete' && isPure(node.argument, isPrimitive);
    case 'BinaryExpression':
      return (
        node.operator !== 'in' &&
        node.operator !== 'instanceof' &&
        isPure(node.left, isPrimitive) &&
        isPure(node.right, isPrimitive)
      );
    case 'LogicalExpression':
      return isPure(node.left, isPrimitive) && isPure(node.right, isPrimitive);
    case 'ConditionalExpression':
      return [node.test, node.consequent, node.alternate].every((part) => isPure(part, isPrimitive));
    default:
      return false;
  }
}

function definitionsIn(node, source) {
  const text = ({ start, end }) => source.slice(start, end);
  switch (node.type) {
    case 'EmptyStatement':
      return [];
    case 'ImportDeclaration':
      return [
        {
          imports: text(node),
          names: node.specifiers.map(({ local }) => local.name),
          specifier: node.source.value,
        },
      ];
    case 'FunctionDeclaration':
      return [{ name: node.id.name, binding: 'var', source: withoutOwnName(node, source) }];
    case 'ClassDeclaration':
      return isSimpleClass(node)
        ? [{ name: node.id.name, binding: 'let', source: text(node), needs: node.superClass?.name }]
        : null;
    case 'VariableDeclaration':
      return node.kind.includes('using') ? null : variablesIn(node, text);
    default:
      return null;
  }
}

function variablesIn({ declarations, kind }, text) {
  if (kind === 'var' && declarations.some(({ init }) => !init)) return null;
  const found = declarations.map(({ id, init }) => {
    if (id.type === 'ObjectPattern') return requiredMembers(id, init, text);
    if (id.type !== 'Identifier' || (init && !isFresh(init) && !isRequired(init))) return null;
    return [
      { name: id.name, source: init ? text(init) : 'undefined', isPrimitive: init?.type === 'Literal' && !init.regex },
    ];
  });
  return found.includes(null) ? null : found.flat().map((definition) => ({ binding: kind, ...definition }));
}

/** As in `const { join, parse: read } = require("path")`. */
function requiredMembers({ properties }, init, text) {
  if (!isRequired(init) || !properties.every(isPlainTarget)) return null;
  return properties.map(({ key, value }) => ({ name: value.name, source: `${text(init)}.${key.name}` }));
}

const isPlainTarget = ({ type, computed, key, value }) =>
  type === 'Property' && !computed && key.type === 'Identifier' && value.type === 'Identifier';

/** A module has the same value whenever it is taken. */
function isRequired(node) {
  const specifier = requiredBy(node);
  return specifier !== null && !moduleReachesAll(specifier);
}

/** A declared function that mentions its own name means the variable, which another step may have changed. */
function withoutOwnName({ start, end }, source) {
  const text = source.slice(start, end);
  return readFunction(text)?.anonymous?.text ?? text;
}

/** Whether an expression has a new value of its own, which depends on nothing else. */
function isFresh(node) {
  switch (node.type) {
    case 'Literal':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return true;
    case 'ClassExpression':
      return isSimpleClass(node) && !node.superClass;
    case 'TemplateLiteral':
      return node.expressions.length === 0;
    case 'UnaryExpression':
      return node.argument.type === 'Literal' && node.operator !== 'delete';
    case 'ArrayExpression':
      return node.elements.every((element) => element === null || isFresh(element));
    case 'ObjectExpression':
      return node.properties.every(
        (property) =>
          property.type === 'Property' &&
          !property.computed &&
          !property.shorthand &&
          property.key.name !== '__proto__' &&
          property.key.value !== '__proto__' &&
          isFresh(property.value),
      );
    default:
      return false;
  }
}

/** Whether evaluating a class runs none of its code. */
function isSimpleClass({ superClass, body, decorators }) {
  if (decorators?.length > 0 || (superClass && superClass.type !== 'Identifier')) return false;
  return body.body.every(
    ({ type, computed, decorators, static: isStatic, value }) =>
      !computed &&
      !(decorators?.length > 0) &&
      type !== 'StaticBlock' &&
      (type === 'MethodDefinition' || !isStatic || value === null || isFresh(value)),
  );
}

/** Whether a statement changes nothing: it computes with primitive values, or prints names or such values. */
function isHarmless(node, isPrimitive) {
  if (node.type !== 'ExpressionStatement') return false;
  if (node.directive) return true;
  const { expression } = node;
  const isRead = (part) => part.type === 'Identifier' || isPure(part, isPrimitive);
  return isRead(expression) || (isPrint(expression) && expression.arguments.every(isRead));
}

function isPrint({ type, callee }) {
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression' || callee.computed) return false;
  return callee.object.type === 'Identifier' && callee.object.name === 'console' && printers.has(callee.property.name);
}
