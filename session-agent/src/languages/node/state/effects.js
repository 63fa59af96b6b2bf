import { blockFunctions } from '../rewrite/declared-names.js';
import { resolveNames } from '../rewrite/references.js';
import { declaredBy, topLevelOf } from '../rewrite/top-level.js';
import { childrenOf, readFunction } from './function-text.js';
import { changingItself, holdsEnvironment, surroundingsIn } from './reached-surroundings.js';

/** Names through which code reaches every other one. */
const reachesAll = new Set([
  'eval',
  'Function',
  'globalThis',
  'global',
  'vm',
  'module',
  'repl',
  'inspector',
  '$holder$',
]);
const modulesThatReachAll = new Set(['vm', 'module', 'repl', 'inspector', 'inspector/promises']);
/** Members through which code changes functions and classes, which otherwise stay as they are. */
const changesFunctions = new Set([
  'prototype',
  '__proto__',
  'constructor',
  'defineProperty',
  'defineProperties',
  'setPrototypeOf',
  'assign',
  'caller',
  'callee',
]);

/** Whether code with this module of Node reaches every name. */
export const moduleReachesAll = (specifier) => modulesThatReachAll.has(specifier.replace(/^node:/, ''));

/** Whether code with this part of Node reaches every name. `path` is that of `builtins`. */
export function builtinReachesAll([kind, ...path]) {
  if (kind !== 'global' && kind !== 'source') return moduleReachesAll(path[0]);
  return path.length === 2 && (path[1] === 'eval' || path[1] === 'Function');
}

/** The names that code binds, assigns and mentions, and the surroundings that it may change. `isAll` says that it may reach every name. */
export function effectsOf(body) {
  const program = { type: 'Program', body, start: body[0]?.start ?? 0, end: body.at(-1)?.end ?? 0 };
  const { references, imports } = resolveNames(program);
  // `globalThis.a` is the name `a`, whatever the code does with it.
  const members = body.flatMap(globalMembers);
  const hidden = new Set(members.map(({ object }) => object));
  const named = references.filter(({ node }) => !hidden.has(node)).map(({ name }) => name);
  const global = members.map(({ property }) => property.name);
  const written = references.filter(({ isWritten }) => isWritten).map(({ name }) => name);
  return {
    bound: new Set([
      ...declaredBy(topLevelOf(program)),
      ...body.flatMap((node) => [...blockFunctions(node)]),
      ...written,
      ...global,
    ]),
    mentioned: new Set([...named, ...global]),
    isAll:
      named.some((name) => reachesAll.has(name)) ||
      body.some(requiresUnknown) ||
      body.some(callsConstructor) ||
      body.some(usesGlobalThis) ||
      imports.length > 0 ||
      body.some(hasWith),
    usesGlobalMembers: members.length > 0,
    changesFunctions: body.some(mayChangeFunctions),
    assignedMembersOf: new Set(body.flatMap(memberTargets)),
    surroundings: surroundingsIn(body),
    holdsEnvironment: body.some(holdsEnvironment),
  };
}

/** The same of the text of a function that code may call. */
export function effectsOfText(text) {
  const reading = readFunction(text);
  if (reading === null) return null;
  const { node, names, written } = reading;
  return {
    bound: written,
    mentioned: names,
    isAll:
      [...names].some((name) => reachesAll.has(name)) ||
      requiresUnknown(node) ||
      callsConstructor(node) ||
      hasWith(node),
    changesFunctions: mayChangeFunctions(node),
    assignedMembersOf: new Set(memberTargets(node)),
    surroundings: surroundingsIn([node]),
  };
}

function globalMembers(node) {
  const isOne = node.type === 'MemberExpression' && !node.computed && /^global(This)?$/.test(node.object.name);
  return [...(isOne ? [node] : []), ...childrenOf(node).flatMap(globalMembers)];
}

function some(node, test) {
  return test(node) || childrenOf(node).some((child) => some(child, test));
}

/** Whether code uses `require` for anything but a module that is named there and reaches no names. */
function requiresUnknown(node) {
  if (node.type === 'Identifier') return node.name === 'require';
  const specifier = requiredBy(node);
  if (specifier !== null) return moduleReachesAll(specifier);
  return childrenOf(node).some(requiresUnknown);
}

/** Returns the module that a call of `require` names, or null. */
export function requiredBy(node) {
  if (node?.type !== 'CallExpression' || node.callee.name !== 'require' || node.arguments.length !== 1) return null;
  const [{ value }] = node.arguments;
  return typeof value === 'string' ? value : null;
}

/** As in `(() => {}).constructor("code")()`. */
const callsConstructor = (node) =>
  some(
    node,
    ({ type, callee }) =>
      type === 'CallExpression' && callee.type === 'MemberExpression' && callee.property.name === 'constructor',
  );
const hasWith = (node) => some(node, ({ type }) => type === 'WithStatement');
const mayChangeFunctions = (node) =>
  some(
    node,
    (part) =>
      part.type === 'MemberExpression' &&
      (part.computed ? part.property.type !== 'Literal' : changesFunctions.has(part.property.name)),
  );

/** Whether code outside of functions uses `this`, which is the global object there. */
function usesGlobalThis(node) {
  if (node.type === 'ThisExpression') return true;
  if (node.type.startsWith('Class') || node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration')
    return false;
  return childrenOf(node).some(usesGlobalThis);
}

/** The names whose members are assigned, updated or deleted. */
function memberTargets(node) {
  const target =
    node.type === 'AssignmentExpression'
      ? node.left
      : node.type === 'UpdateExpression' || (node.type === 'UnaryExpression' && node.operator === 'delete')
        ? node.argument
        : null;
  const isChange = node.type === 'CallExpression' && changingItself.has(node.callee.property?.name);
  const root = isChange ? rootOf(node.callee) : target?.type === 'MemberExpression' ? rootOf(target) : null;
  return [...(root ? [root] : []), ...childrenOf(node).flatMap(memberTargets)];
}

function rootOf(node) {
  let at = node;
  while (at.type === 'MemberExpression') at = at.object;
  if (at.type === 'Identifier') return at.name;
  // A function that is called without an object has the global object as `this`.
  return at.type === 'ThisExpression' && !node.computed ? node.property.name : null;
}
