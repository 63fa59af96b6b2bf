import { users } from '../realm/users-realm.js';
import { scopeMark } from '../rewrite/mark-scopes.js';
import { classForEvaluation, namesOfBase } from './class-text.js';
import { readFunction } from './function-text.js';
import { referencesOf } from './references-of.js';
import { evaluateWith, standIn } from './stand-in.js';

const { apply, ownKeys } = Reflect;
const { defineProperty, deleteProperty, getOwnPropertyDescriptor, preventExtensions, setPrototypeOf } = Reflect;
const setter = '$values$';
const functionKinds = new Set(['function', 'class']);

/**
 * Makes the values of a graph (`save-graph.js`) in the user's realm. Returns a function that decodes a reference. It throws an error if
 * something that belongs to the value could not be made.
 */
export function loadGraph({ entities, blobs, builtins }) {
  const made = new Map();
  const settles = [];
  /** The reasons by number. */
  const broken = new Map();
  const scopes = new Map();
  const scopesToMake = scopeTree(entities);

  const decode = (encoded) => {
    if (encoded === null || typeof encoded !== 'object') return encoded;
    const [tag, text] = encoded;
    if (typeof tag === 'number') return make(tag);
    switch (tag) {
      case 'n':
        return Number(text);
      case 'b':
        return BigInt(text);
      case 'w':
        return Symbol[text];
      case 'y':
        return Symbol.for(text);
      default:
        return undefined;
    }
  };

  const make = (id) => {
    if (broken.has(id)) throw broken.get(id);
    if (!made.has(id)) {
      const value = shell(id);
      // A scope makes several functions at once.
      if (!made.has(id)) made.set(id, value);
    }
    return made.get(id);
  };

  const shell = (id) => {
    const [kind, ...parts] = entities[id];
    switch (kind) {
      case 'builtin':
        return builtins.at(parts.map(decode));
      case 'symbol':
        return Symbol(decode(parts[0]));
      case 'list':
        return new users.Array(parts[0].length);
      case 'array':
        return new users.Array(parts[0]);
      case 'map':
        return new users.Map();
      case 'set':
        return new users.Set();
      case 'date':
        return new users.Date(decode(parts[0]));
      case 'regexp':
        return new users.RegExp(parts[0], parts[1]);
      case 'buffer':
        return filledBuffer(blobs[parts[0]]);
      case 'view':
        return new users[parts[0]](decode(parts[1]), parts[2], parts[3]);
      case 'dataview':
        return new users.DataView(decode(parts[0]), parts[1], parts[2]);
      case 'error':
        return emptyError();
      case 'promise':
        return new users.Promise((resolve) => settles.push(() => resolve(decode(parts[0]))));
      case 'boxed':
        return users.Object(decode(parts[0]));
      case 'member':
        return getOwnPropertyDescriptor(parts[1] ? make(parts[0]) : make(parts[0]).prototype, decode(parts[2]))[
          parts[3]
        ];
      case 'prototype':
        return make(parts[0]).prototype;
      case 'function':
      case 'class':
        return makeFunction(id);
      default:
        return new users.Object();
    }
  };

  const makeFunction = (id) => {
    const scope = entities[id][scopeAt(entities[id])];
    if (scope === null) {
      const bases = new Set();
      const source = sourceOf(entities[id], bases);
      return partOf(evaluateWith(source, bases), entities[id]);
    }
    let outermost = scope;
    while (entities[outermost][1] !== null) outermost = entities[outermost][1];
    if (!scopes.has(outermost)) makeScopes(outermost);
    return made.get(id);
  };

  /** Evaluates a scope with all functions and scopes in it, so that they share its variables. */
  const makeScopes = (outermost) => {
    const bases = new Set();
    const source = scopeSource(outermost, bases);
    takeScope(outermost, evaluateWith(source, bases));
  };
  const scopeSource = (id, bases) => {
    const { functions, inner } = scopesToMake.get(id);
    const names = entities[id][3].map(([name]) => name);
    const variables = names.length > 0 ? `let ${names.join(', ')}; ` : '';
    const mark = entities[id][2] ? `const ${scopeMark} = () => ${scopeMark}; ` : '';
    const set = `(${setter}) => { ${names.length > 0 ? `[${names.join(', ')}] = ${setter};` : ''} }`;
    const made = functions.map((at) => sourceOf(entities[at], bases));
    const scopesInside = inner.map((at) => scopeSource(at, bases));
    return `(() => { ${variables}${mark}return [${set}, [${made.join(', ')}], [${scopesInside.join(', ')}]]; })()`;
  };
  const takeScope = (id, [set, functions, inner]) => {
    const { functions: ids, inner: scopesInside } = scopesToMake.get(id);
    scopes.set(id, set);
    for (const [index, at] of ids.entries()) made.set(at, partOf(functions[index], entities[at]));
    for (const [index, at] of scopesInside.entries()) takeScope(at, inner[index]);
  };
  /** Adds to `bases` the global names for which something must stand in. */
  const sourceOf = (entity, bases) => {
    const [kind, text] = entity;
    const reading = readFunction(text);
    if (kind !== 'class') return reading.kind === 'method' ? `({${text}\n})` : `(${text}\n)`;
    let variables = '';
    for (const name of namesOfBase(reading.node)) {
      if (isVariable(entity[2], name)) variables += `${name} = ${standIn}, `;
      else bases.add(name);
    }
    return `(${variables}${classForEvaluation(text, reading)}\n)`;
  };
  const isVariable = (scope, name) =>
    scope !== null && (entities[scope][3].some(([one]) => one === name) || isVariable(entities[scope][1], name));

  const fill = (id) => {
    const entity = entities[id];
    const value = made.get(id);
    const [kind, ...parts] = entity;
    if (kind === 'list') {
      const [values, prototype] = parts;
      for (const [index, item] of values.entries()) define(value, index, { value: decode(item) });
      setPrototypeOf(value, decode(prototype));
      return;
    }
    if (['builtin', 'symbol', 'member', 'scope'].includes(kind)) return;
    const [prototype, properties] = parts.slice(-3);
    if (kind === 'map')
      for (const [key, item] of parts[0]) apply(users.Map.prototype.set, value, [decode(key), decode(item)]);
    if (kind === 'set') for (const item of parts[0]) apply(users.Set.prototype.add, value, [decode(item)]);
    if (kind === 'error' && parts[0] !== null) define(value, 'stack', { value: decode(parts[0]), enumerable: false });
    if (kind === 'array') value.length = parts[0];
    setPrototypeOf(value, decode(prototype));
    const keys = new Set();
    for (const [encodedKey, flags, ...content] of properties) {
      const key = decode(encodedKey);
      keys.add(key);
      const shared = { enumerable: (flags & 1) !== 0, configurable: (flags & 2) !== 0 };
      const [first, second] = content.map(decode);
      const property =
        content.length === 2 ? { get: first, set: second } : { value: first, writable: (flags & 4) !== 0 };
      if (!defineProperty(value, key, { ...property, ...shared })) throw new Error(`${String(key)} cannot be defined`);
    }
    if (functionKinds.has(kind) || kind === 'prototype') {
      for (const key of ownKeys(value)) if (!keys.has(key)) deleteProperty(value, key);
    }
    if (kind === 'array' && !parts[1]) defineProperty(value, 'length', { writable: false });
  };

  /** An entity that cannot be made again is to lose only the values that have it. */
  const each = (ids, act) => {
    for (const id of ids) {
      try {
        if (!broken.has(id)) act(id);
      } catch (error) {
        broken.set(id, error);
      }
    }
  };
  const all = entities.map((_, id) => id);
  each(all, (id) => entities[id][0] !== 'scope' && make(id));
  each(all, fill);
  each([...scopes.keys()], (id) => scopes.get(id)(inUsersArray(entities[id][3].map(([, value]) => decode(value)))));
  for (const settle of settles) settle();
  each(all, (id) => {
    const [kind, ...parts] = entities[id];
    if (parts.at(-1) === 0 && hasParts(kind)) preventExtensions(made.get(id));
  });
  return (encoded) => {
    for (const id of broken.size > 0 ? reachedFrom(encoded, entities) : []) if (broken.has(id)) throw broken.get(id);
    return decode(encoded);
  };
}

/** The numbers of all entities that belong to a value. */
function reachedFrom(encoded, entities) {
  const reached = new Set();
  const waiting = referencesOf(['value', encoded]);
  while (waiting.length > 0) {
    const id = waiting.pop();
    if (reached.has(id)) continue;
    reached.add(id);
    waiting.push(...referencesOf(entities[id]));
  }
  return reached;
}

const hasParts = (kind) => !['builtin', 'symbol', 'member', 'scope'].includes(kind);
const scopeAt = ([kind]) => (kind === 'class' ? 2 : 3);

/** Lists the functions and scopes that are directly in each scope. */
function scopeTree(entities) {
  const tree = new Map();
  for (const [id, [kind]] of entities.entries()) if (kind === 'scope') tree.set(id, { functions: [], inner: [] });
  for (const [id, entity] of entities.entries()) {
    if (entity[0] === 'scope' && entity[1] !== null) tree.get(entity[1]).inner.push(id);
    if (functionKinds.has(entity[0]) && entity[scopeAt(entity)] !== null)
      tree.get(entity[scopeAt(entity)]).functions.push(id);
  }
  return tree;
}

function partOf(value, [kind, , part]) {
  if (kind === 'class' || part === null) return value;
  return getOwnPropertyDescriptor(value, ownKeys(value)[0])[part];
}

function define(object, key, property) {
  defineProperty(object, key, { writable: true, enumerable: true, configurable: true, ...property });
}

function inUsersArray(values) {
  return apply(users.Array.of, users.Array, values);
}

function emptyError() {
  const { Error: UsersError } = users;
  const error = new UsersError();
  deleteProperty(error, 'stack');
  return error;
}

function filledBuffer(bytes) {
  const buffer = new users.ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}
