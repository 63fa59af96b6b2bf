import { childrenOf } from './function-text.js';

export const environment = '(environment)';
const ofWords = new Map([
  ['chdir', '(working directory)'],
  ['umask', '(umask)'],
  ['loadEnvFile', environment],
  ['setDefaultResultOrder', '(dns settings)'],
  ['setServers', '(dns settings)'],
  ['setDefaultAutoSelectFamily', '(network settings)'],
  ['setDefaultHighWaterMark', '(stream settings)'],
  ['setFips', '(crypto settings)'],
  ['setUncaughtExceptionCaptureCallback', '(process settings)'],
]);
const changing = new Set(['assign', 'defineProperty', 'defineProperties', 'deleteProperty', 'set', 'setPrototypeOf']);
/** Methods of lists and collections that change them. */
export const changingItself = new Set([
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
  'reverse',
  'fill',
  'copyWithin',
  'add',
  'delete',
  'clear',
]);
/** The names of what every process has before its first step. Properties of the global object itself are names. */
const nodesNames = new Set(Object.getOwnPropertyNames(globalThis));
for (const name of ['global', 'globalThis']) nodesNames.delete(name);
// Names of the kernel's modules, which the global object need not have.
for (const name of ['process', 'Buffer']) nodesNames.add(name);

/** The surroundings of the names that code may change, by the words that it uses. Code that only reads the environment does not count. */
export function surroundingsIn(nodes) {
  const found = new Set();
  const visit = (node) => {
    for (const word of wordsOf(node)) add(found, ofWords.get(word));
    if (changedParts(node).some(isOfEnvironment)) found.add(environment);
    else add(found, changedBuiltin(node));
    for (const child of childrenOf(node)) visit(child);
  };
  for (const node of nodes) visit(node);
  return found;
}

/** The same of a function that Node provides, by its name, however code calls it. */
export function surroundingsOfFunction(name) {
  return ofWords.has(name) ? [ofWords.get(name)] : [];
}

/** Whether code takes `process.env` itself, and not only members of it, so that a name may have it. */
export function holdsEnvironment(node) {
  if (node.type === 'Identifier') return node.name === 'env';
  const isOfMember =
    node.type === 'MemberExpression' && node.object.type === 'MemberExpression' && !node.object.computed;
  return (isOfMember ? [node.object.object] : childrenOf(node)).some(holdsEnvironment);
}

function add(found, name) {
  if (name !== undefined) found.add(name);
}

function wordsOf(node) {
  if (node.type === 'Identifier') return [node.name];
  return node.type === 'MemberExpression' && node.computed ? [node.property.value] : [];
}

/** The parts that an expression assigns to or deletes, or changes as `Object.assign(process.env, more)` does. */
function changedParts({ type, left, argument, operator, callee, arguments: given }) {
  if (type === 'AssignmentExpression') return [left];
  if (type === 'UpdateExpression' || (type === 'UnaryExpression' && operator === 'delete')) return [argument];
  const called = type === 'CallExpression' ? callee.property?.name : undefined;
  return [...(changing.has(called) ? given : []), ...(changingItself.has(called) ? [callee.object] : [])];
}

/** The part of what Node provides that an expression changes under its own name, such as `Array.prototype.last`. */
function changedBuiltin(node) {
  const event = listenedEvent(node);
  if (event !== null) return event;
  const [changed] = changedParts(node);
  const path = changed ? pathOf(changed) : [];
  const isOne =
    (nodesNames.has(path[0]) || isRequired(rootOf(changed))) && (path.length > 1 || node.type === 'CallExpression');
  return isOne ? path.join('.') : undefined;
}

const listening = new Set([
  'on',
  'once',
  'off',
  'addListener',
  'removeListener',
  'prependListener',
  'prependOnceListener',
  'removeAllListeners',
]);

/** As in `process.on('SIGTERM', stop)`, named as a snapshot names it. */
function listenedEvent({ type, callee, arguments: given }) {
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression' || !listening.has(callee.property.name))
    return null;
  const { object } = callee;
  if (object.name !== 'process' && !(isRequired(object) && /^(node:)?process$/.test(object.arguments[0].value)))
    return null;
  const event = given[0]?.value;
  return typeof event === 'string' ? `process.on(${event})` : 'process.on';
}

const isRequired = (node) =>
  node?.type === 'CallExpression' && node.callee.name === 'require' && typeof node.arguments[0]?.value === 'string';

function rootOf(node) {
  let at = node;
  while (at?.type === 'MemberExpression') at = at.object;
  return at;
}

/** The names of a member and of the objects that it belongs to, up to one that has no name. */
function pathOf(node) {
  if (node.type === 'Identifier') return [node.name];
  if (isRequired(node)) return [node.arguments[0].value.replace(/^node:/, '')];
  if (node.type !== 'MemberExpression') return [];
  const path = pathOf(node.object);
  const name = node.computed ? node.property.value : node.property.name;
  return path.length > 0 && typeof name === 'string' ? [...path, name] : path;
}

/** Whether it is `process.env`, or a member of it. */
function isOfEnvironment(node) {
  for (let at = node; at?.type === 'MemberExpression'; at = at.object)
    if ((at.computed ? at.property.value : at.property.name) === 'env') return true;
  return false;
}
