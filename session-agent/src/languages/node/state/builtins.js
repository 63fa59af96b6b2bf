import { builtinModules } from 'node:module';
import process from 'node:process';
import { types } from 'node:util';
import { apply, getOwnPropertyDescriptor, ownKeys, ownList, users } from '../realm/users-realm.js';
import { isLoadedWay } from './loaded-modules.js';
import { isPlain } from './object-kinds.js';

const { getBuiltinModule } = process;
const { toString: functionText } = Function.prototype;
const native = /^function [^{]*\{ \[native code\] \}$/;
/** Node itself puts these there, or the kernel. */
const nodesOwn = new Set([
  'Error.stackTraceLimit',
  'Error.prepareStackTrace',
  'Error.captureStackTrace',
  'Symbol.dispose',
  'Symbol.asyncDispose',
]);
const nodesGlobals = [
  'Buffer',
  'URL',
  'URLSearchParams',
  'TextEncoder',
  'TextDecoder',
  'AbortController',
  'AbortSignal',
  'Event',
  'EventTarget',
  'console',
  'process',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'queueMicrotask',
  'structuredClone',
  'require',
  'module',
  'exports',
  'btoa',
  'atob',
  'performance',
  'holdfast',
];
/** Code may declare it anew, and then it is the code's own. */
const redeclarable = 'holdfast';
/** Objects to which no property of the global object leads, as the source that finds them. */
const hidden = [
  'Object.getPrototypeOf(function* () {})',
  'Object.getPrototypeOf(function* () {}).prototype',
  'Object.getPrototypeOf(async function* () {})',
  'Object.getPrototypeOf(async function* () {}).prototype',
  'Object.getPrototypeOf(async function () {})',
  'Object.getPrototypeOf(Uint8Array)',
  'Object.getPrototypeOf(Uint8Array).prototype',
  'Object.getPrototypeOf([][Symbol.iterator]())',
];

/**
 * Knows the objects that every process has before its first step, and a way to each. A snapshot has the way in the place of the object.
 * Intrinsics are compared with those of the kernel's own realm, so one that a step has replaced is not taken for the original.
 */
export function createBuiltins({ inspected, modules }) {
  const initial = new Map();
  for (const name of nodesGlobals) {
    // Some are getters, which other ones are only until they are read, and would load much.
    const value = /^(Buffer|process|holdfast)$/.test(name) ? users[name] : getOwnPropertyDescriptor(users, name)?.value;
    if (value !== undefined) initial.set(name, value);
  }
  const hiddenObjects = hidden.map((source) => [source, apply(users.eval, undefined, [source])]);
  let paths = new Map();
  let changed = [];
  let lastOwners = null;

  const note = (value, path) => {
    if (paths.has(value)) return false;
    paths.set(value, path);
    return true;
  };
  const compare = (own, theirs, path) => {
    if (!note(theirs, path) || path.length > 6) return;
    for (const key of ownList(ownKeys(theirs))) {
      const property = getOwnPropertyDescriptor(theirs, key);
      const original = Object.getOwnPropertyDescriptor(own, key);
      const shown = shownPath([...path, 'value', key]);
      if (nodesOwn.has(shown)) continue;
      if (!original) changed.push(shown);
      else
        for (const part of ['value', 'get', 'set']) {
          if (!isObject(original[part])) continue;
          if (isSame(original[part], property[part])) compare(original[part], property[part], [...path, part, key]);
          else changed.push(shown);
        }
    }
  };

  owners();

  return {
    /** Looks anew, since steps may have changed something. */
    look() {
      paths = new Map([[users, ['global']]]);
      changed = [];
      for (const [name, value] of initial) {
        const path = ['global', 'value', name];
        note(value, path);
        if (name !== redeclarable && isReplaced(name, value)) changed.push(name);
        const prototype = typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.value;
        if (isObject(prototype)) note(prototype, [...path, 'value', 'prototype']);
      }
      for (const [source, value] of hiddenObjects) note(value, ['source', source]);
      for (const name of Object.getOwnPropertyNames(globalThis)) {
        const property = getOwnPropertyDescriptor(users, name);
        const own = Object.getOwnPropertyDescriptor(globalThis, name)?.value;
        if (!isObject(own) || own === globalThis || initial.has(name)) continue;
        if (property?.value && isSame(own, property.value)) compare(own, property.value, ['global', 'value', name]);
        else changed.push(name);
      }
      for (const [name, exported] of loadedModules()) note(exported, ['module', name]);
      for (const [value, way] of modules.ways()) note(value, way);
    },
    changed: () => changed,
    /** The objects that Node provides besides the language itself, by name. */
    *provided() {
      for (const [name, value] of initial) {
        if (isObject(value)) yield [name, value];
      }
      yield ['Error', users.Error];
      yield* loadedModules();
    },
    /** Returns the way to an object, or null. */
    pathOf(value) {
      const path = paths.get(value);
      if (path !== undefined) return path;
      const found = typeof value === 'function' ? memberPath(value) : (prototypePath(value) ?? ownedPath(value));
      if (found !== null) paths.set(value, found);
      return found;
    },
    /** Returns the object that the way leads to. Throws if there is none. */
    at([kind, first, ...keys]) {
      if (isLoadedWay([kind])) return follow(modules.at([kind, first, keys[0]]), keys.slice(1));
      if (kind === 'source') return hiddenObjects.find(([source]) => source === first)[1];
      if (kind === 'module') return follow(getBuiltinModule(first), keys);
      if (first === undefined) return users;
      const [name, ...rest] = keys;
      return initial.has(name) ? follow(initial.get(name), rest) : follow(users, [first, ...keys]);
    },
  };

  /** The object from which the objects of one of Node's classes inherit. */
  function prototypePath(value) {
    const maker = Object.getOwnPropertyDescriptor(value, 'constructor')?.value;
    if (typeof maker !== 'function' || types.isProxy(maker)) return null;
    const path = paths.get(maker) ?? memberPath(maker);
    if (!path || Object.getOwnPropertyDescriptor(maker, 'prototype')?.value !== value) return null;
    return [...path, 'value', 'prototype'];
  }

  /** An object that a module of Node has, such as `fs.constants`. Objects that steps have put there do not count. */
  function ownedPath(value) {
    const owned = owners();
    if (!owned.has(value)) return null;
    const { owner, way, key } = owned.get(value);
    return getOwnPropertyDescriptor(owner, key)?.value === value ? [...way, 'value', key] : null;
  }

  /** Looked for anew only when Node has loaded a module since. */
  function owners() {
    const count = process.moduleLoadList.length;
    if (lastOwners?.count === count) return lastOwners.owned;
    const owned = lastOwners?.owned ?? new Map();
    const known = new Set([...owned.values()].map(({ owner }) => owner));
    const take = (owner, way) => {
      for (const key of ownList(ownKeys(owner))) {
        const value = getOwnPropertyDescriptor(owner, key).value;
        const isOne = typeof key === 'string' && typeof value === 'object' && value !== null && !types.isProxy(value);
        if (!isOne || owned.has(value)) continue;
        owned.set(value, { owner, way, key });
        if (way.length < 4 && isPlain(value)) take(value, [...way, 'value', key]);
      }
    };
    for (const [owner, way] of ownersNow()) if (!known.has(owner)) take(owner, way);
    lastOwners = { count, owned };
    return owned;
  }

  function* ownersNow() {
    for (const name of ['process', 'console', 'holdfast']) yield [initial.get(name), ['global', 'value', name]];
    for (const [name, exported] of loadedModules()) yield [exported, ['module', name]];
  }

  /** Node's own functions are closures of its modules. */
  function memberPath(value) {
    if (!native.test(apply(functionText, value, [])) && inspected.isOfSteps(value)) return null;
    for (const [owner, path] of paths) {
      if (path[0] !== 'module' && (path[0] !== 'global' || !initial.has(path[2]))) continue;
      for (const key of ownList(ownKeys(owner))) {
        if (typeof key === 'string' && getOwnPropertyDescriptor(owner, key).value === value)
          return [...path, 'value', key];
      }
    }
    return null;
  }
}

function* loadedModules() {
  const loaded = new Set(ownList(process.moduleLoadList));
  for (const name of ownList(builtinModules)) {
    if (!loaded.has(`NativeModule ${name}`) || name.startsWith('_')) continue;
    const exported = getBuiltinModule(name);
    if (isObject(exported)) yield [name, exported];
  }
}

function follow(start, keys) {
  let at = start;
  for (let index = 0; index < keys.length; index += 2)
    at = Object.getOwnPropertyDescriptor(at, keys[index + 1])[keys[index]];
  return at;
}

/** Whether both are the same native function, or objects at the same place. */
function isSame(own, theirs) {
  if (typeof own !== typeof theirs || !isObject(theirs)) return false;
  return typeof own !== 'function' || (nativeText(theirs) !== null && nativeText(own) === nativeText(theirs));
}

/** Whether steps have given a global of Node another value, or deleted it. Some are getters until they are set. */
function isReplaced(name, value) {
  const property = getOwnPropertyDescriptor(users, name);
  return property === undefined || ('value' in property && property.value !== value);
}

function nativeText(value) {
  const text = apply(functionText, value, []);
  return native.test(text) ? text : null;
}

export function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Shows a way as code would. */
function shownPath(path) {
  const keys = path.filter((_, index) => index % 2 === 0).slice(1);
  return keys.map((key) => (typeof key === 'symbol' ? `[${key.description}]` : key)).join('.');
}
