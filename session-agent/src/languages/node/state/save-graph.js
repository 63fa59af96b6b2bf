import { performance } from 'node:perf_hooks';
import { types } from 'node:util';
import { users } from '../realm/users-realm.js';
import { isObject } from './builtins.js';
import { Refusal } from './refusal.js';
import { createFunctionSaver } from './save-functions.js';

const now = performance.now.bind(performance);
const { apply, ownKeys } = Reflect;
const { getOwnPropertyDescriptor, getPrototypeOf, isExtensible } = Object;
const { isArray } = Array;
const { toString: functionText } = Function.prototype;
const getter = (prototype, key) => Object.getOwnPropertyDescriptor(prototype, key).get;
const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const read = {
  mapEntries: Map.prototype.forEach,
  setValues: Set.prototype.forEach,
  time: Date.prototype.getTime,
  source: getter(RegExp.prototype, 'source'),
  flags: getter(RegExp.prototype, 'flags'),
  tag: getter(typedArray, Symbol.toStringTag),
  viewBuffer: getter(typedArray, 'buffer'),
  viewOffset: getter(typedArray, 'byteOffset'),
  viewLength: getter(typedArray, 'length'),
  dataBuffer: getter(DataView.prototype, 'buffer'),
  dataOffset: getter(DataView.prototype, 'byteOffset'),
  dataLength: getter(DataView.prototype, 'byteLength'),
  isResizable: getter(ArrayBuffer.prototype, 'resizable'),
  bufferLength: getter(ArrayBuffer.prototype, 'byteLength'),
};
const boxed = [
  ['isNumberObject', Number.prototype.valueOf],
  ['isStringObject', String.prototype.valueOf],
  ['isBooleanObject', Boolean.prototype.valueOf],
  ['isSymbolObject', Symbol.prototype.valueOf],
  ['isBigIntObject', BigInt.prototype.valueOf],
];
/** Objects of which nothing can be read, or that stand for something outside of the kernel's memory. */
const opaque = [
  ['isProxy', 'a Proxy'],
  ['isWeakMap', 'a WeakMap'],
  ['isWeakSet', 'a WeakSet'],
  ['isGeneratorObject', 'a generator'],
  ['isMapIterator', 'an iterator'],
  ['isSetIterator', 'an iterator'],
  ['isSharedArrayBuffer', 'a SharedArrayBuffer'],
  ['isExternal', 'an object of native code'],
  ['isArgumentsObject', 'an arguments object'],
  ['isModuleNamespaceObject', 'a module'],
];
const wellKnown = new Map(
  Object.getOwnPropertyNames(Symbol)
    .filter((name) => typeof Symbol[name] === 'symbol')
    .map((name) => [Symbol[name], name]),
);

/**
 * `bindings` maps the names of the context to `{value}`.
 *
 * Describes values and all that they refer to as entities, which refer to one another by number, so that shared and cyclic references stay.
 * A value that cannot be described takes back all that was described for it, and throws a `Refusal`.
 */
export function createGraphSaver({ builtins, inspected, bindings, deadline, bytesMax }) {
  const entities = [];
  const blobs = [];
  const ids = new Map();
  const refused = new Map();
  let bytes = 0;
  let pending = [];

  const spend = (count) => {
    bytes += count;
    if (bytes > bytesMax) throw new Refusal('There is no room for it in the snapshot.');
  };

  const encode = (value) => {
    spend(4);
    switch (typeof value) {
      case 'string':
        spend(value.length);
        return value;
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : ['n', Object.is(value, -0) ? '-0' : `${value}`];
      case 'boolean':
        return value;
      case 'undefined':
        return ['u'];
      case 'bigint': {
        const text = `${value}`;
        spend(text.length);
        return ['b', text];
      }
      case 'symbol':
        return encodeSymbol(value);
      default:
        return value === null ? null : reference(value);
    }
  };

  const encodeSymbol = (symbol) => {
    if (wellKnown.has(symbol)) return ['w', wellKnown.get(symbol)];
    const key = Symbol.keyFor(symbol);
    if (key !== undefined) return ['y', key];
    if (!ids.has(symbol)) add(symbol, ['symbol', symbol.description ?? ['u']]);
    return [ids.get(symbol)];
  };

  const add = (value, entity) => {
    ids.set(value, entities.length);
    entities.push(entity);
    spend(16);
  };

  const reference = (value) => {
    if (ids.has(value)) return [ids.get(value)];
    if (refused.has(value)) throw new Refusal(refused.get(value));
    const path = types.isProxy(value) ? null : builtins.pathOf(value);
    if (path) add(value, ['builtin', ...path.map((step) => (typeof step === 'symbol' ? encodeSymbol(step) : step))]);
    else {
      add(value, null);
      pending.push(value);
    }
    return [ids.get(value)];
  };

  /** `[key, flags, value]` or `[key, flags, get, set]`. */
  const encodeProperty = (key, { value, get, set, writable, enumerable, configurable }) => {
    const flags = (enumerable ? 1 : 0) + (configurable ? 2 : 0);
    const encodedKey = typeof key === 'symbol' ? encodeSymbol(key) : encode(key);
    if (get || set) return [encodedKey, flags, encode(get), encode(set)];
    return [encodedKey, flags + (writable ? 4 : 0), encode(value)];
  };
  const propertiesOf = (value, isLeftOut = () => false) =>
    ownKeys(value)
      .filter((key) => !isLeftOut(key))
      .map((key) => encodeProperty(key, getOwnPropertyDescriptor(value, key)));

  /** The parts that all objects have. */
  const common = (value, isLeftOut) => [
    encode(getPrototypeOf(value)),
    propertiesOf(value, isLeftOut),
    isExtensible(value) ? 1 : 0,
  ];

  /** Gives a number to what has no reference of its own, or whose description is known. */
  const place = (key, describeIt) => {
    if (!ids.has(key)) {
      add(key, null);
      entities[ids.get(key)] = describeIt();
    }
    return ids.get(key);
  };
  const functions = createFunctionSaver({ inspected, encode, common, place, bindings });

  const describe = (value) => {
    for (const [test, what] of opaque) if (types[test](value)) throw new Refusal(`It is ${what}.`);
    if (typeof value === 'function') return functions.describe(value);
    const maker = getOwnPropertyDescriptor(value, 'constructor')?.value;
    if (typeof maker === 'function' && !types.isProxy(maker) && isPrototypeOfClass(maker, value))
      return ['prototype', encode(maker)[0], ...common(value)];
    requireKnownKind(value);
    if (isArray(value)) return describeArray(value);
    if (types.isMap(value)) return describeMap(value);
    if (types.isSet(value)) return describeSet(value);
    if (types.isDate(value)) return ['date', encode(apply(read.time, value, [])), ...common(value)];
    if (types.isRegExp(value))
      return ['regexp', apply(read.source, value, []), apply(read.flags, value, []), ...common(value)];
    if (types.isArrayBuffer(value)) return describeBuffer(value);
    if (types.isTypedArray(value)) return describeView(value);
    if (types.isDataView(value)) return describeDataView(value);
    if (types.isNativeError(value)) return ['error', ...describeError(value)];
    if (types.isPromise(value)) return describePromise(value);
    for (const [test, valueIn] of boxed) {
      if (types[test](value)) {
        const isIndex = (key) => test === 'isStringObject' && (key === 'length' || /^\d+$/.test(String(key)));
        return ['boxed', encode(apply(valueIn, value, [])), ...common(value, isIndex)];
      }
    }
    return ['object', ...common(value)];
  };

  /** A prototype of Node's own is a sign of state that no property shows. */
  const requireKnownKind = (value) => {
    for (let at = getPrototypeOf(value); at !== null; at = getPrototypeOf(at)) {
      if (types.isProxy(at)) throw new Refusal('Its prototype is a Proxy.');
      const path = builtins.pathOf(at);
      if (path === null) continue;
      if (!isGeneratorPrototype(path) && !isPlainPrototype(value, at)) throw new Refusal(`It is ${named(at)}.`);
      break;
    }
    if (isUsersInstance(value) && inspected.hasPrivateMembers(value)) throw new Refusal('It has private members.');
  };
  const isUsersInstance = (value) => {
    for (let at = getPrototypeOf(value); at !== null && builtins.pathOf(at) === null; at = getPrototypeOf(at)) {
      const maker = getOwnPropertyDescriptor(at, 'constructor')?.value;
      if (typeof maker !== 'function' || apply(functionText, maker, []).includes('#')) return true;
    }
    return false;
  };

  const describeArray = (value) => {
    const length = getOwnPropertyDescriptor(value, 'length');
    const isDense = isPlainArray(value, length.value);
    if (isDense) {
      const values = [];
      for (let index = 0; index < length.value; index++) values.push(encode(value[index]));
      return ['list', values, encode(getPrototypeOf(value)), isExtensible(value) ? 1 : 0];
    }
    return ['array', length.value, length.writable ? 1 : 0, ...common(value, (key) => key === 'length')];
  };
  const describeMap = (value) => {
    const entries = [];
    apply(read.mapEntries, value, [(item, key) => entries.push([encode(key), encode(item)])]);
    return ['map', entries, ...common(value)];
  };
  const describeSet = (value) => {
    const entries = [];
    apply(read.setValues, value, [(item) => entries.push(encode(item))]);
    return ['set', entries, ...common(value)];
  };
  const describeBuffer = (value) => {
    if (apply(read.isResizable, value, [])) throw new Refusal('It is an ArrayBuffer that can be resized.');
    const length = apply(read.bufferLength, value, []);
    spend(length);
    blobs.push(new Uint8Array(new Uint8Array(value)));
    return ['buffer', blobs.length - 1, length, ...common(value)];
  };
  const describeView = (value) => {
    const buffer = apply(read.viewBuffer, value, []);
    if (types.isSharedArrayBuffer(buffer)) throw new Refusal('It is a view of a SharedArrayBuffer.');
    const isIndex = (key) => typeof key === 'string' && /^\d+$/.test(key);
    const place = [apply(read.viewOffset, value, []), apply(read.viewLength, value, [])];
    return ['view', apply(read.tag, value, []), encode(buffer), ...place, ...viewParts(value, isIndex)];
  };
  /** The keys of a view are its elements, of which there may be millions. */
  const viewParts = (value) => [encode(getPrototypeOf(value)), [], isExtensible(value) ? 1 : 0];
  const describeDataView = (value) => {
    const place = [apply(read.dataOffset, value, []), apply(read.dataLength, value, [])];
    return ['dataview', encode(apply(read.dataBuffer, value, [])), ...place, ...common(value)];
  };
  /** V8 makes the text of the stack when it is first read, by a property that looks like an accessor. */
  const describeError = (value) => {
    const stack = value.stack;
    const parts = common(value, (key) => key === 'stack');
    return [typeof stack === 'string' ? encode(stack) : null, ...parts];
  };
  const describePromise = (value) => {
    const { state, value: result } = inspected.promiseOf(value);
    if (state !== 'fulfilled') throw new Refusal(`It is a promise that is ${state}.`);
    return ['promise', encode(result), ...common(value)];
  };

  const isPlainPrototype = (value, prototype) => {
    const { prototype: objects } = users.Object;
    return prototype === objects || kindPrototypes(value).includes(prototype);
  };

  return {
    entities,
    blobs,
    /** Describes a value with all that it refers to, or throws a Refusal. */
    save(value) {
      const before = { entities: entities.length, blobs: blobs.length, bytes };
      pending = [];
      try {
        const encoded = encode(value);
        for (let at = 0; at < pending.length; at++) {
          if (now() > deadline) throw new Refusal('The time for the snapshot was over.');
          describeAt(pending[at]);
        }
        return encoded;
      } catch (error) {
        entities.length = before.entities;
        blobs.length = before.blobs;
        bytes = before.bytes;
        for (const [key, id] of ids) if (id >= before.entities) ids.delete(key);
        throw error;
      }
    },
  };

  function describeAt(value) {
    try {
      entities[ids.get(value)] = describe(value);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.set(value, error.message);
      throw error;
    }
  }
}

/** The object from which generators inherit: their functions have an empty object of it, and generators are told apart already. */
const isGeneratorPrototype = ([kind, source]) => kind === 'source' && /function\*.*\.prototype$/.test(source);

/** A class cannot get another prototype, so its own one is filled. */
function isPrototypeOfClass(maker, value) {
  const property = getOwnPropertyDescriptor(maker, 'prototype');
  return property?.value === value && !property.writable;
}

function isPlainArray(value, length) {
  if (ownKeys(value).length !== length + 1) return false;
  for (let index = 0; index < length; index++) {
    const property = getOwnPropertyDescriptor(value, index);
    if (!property?.writable || !property.enumerable || !property.configurable) return false;
  }
  return getOwnPropertyDescriptor(value, 'length').writable;
}

const kinds = [
  [isArray, () => [users.Array.prototype]],
  [types.isMap, () => [users.Map.prototype]],
  [types.isSet, () => [users.Set.prototype]],
  [types.isDate, () => [users.Date.prototype]],
  [types.isRegExp, () => [users.RegExp.prototype]],
  [types.isArrayBuffer, () => [users.ArrayBuffer.prototype]],
  [types.isDataView, () => [users.DataView.prototype]],
  [types.isPromise, () => [users.Promise.prototype]],
  [types.isTypedArray, (value) => [users.Buffer.prototype, users[apply(read.tag, value, [])].prototype]],
  [types.isNativeError, () => errorNames.map((name) => users[name].prototype)],
  [
    types.isBoxedPrimitive,
    () => ['Number', 'String', 'Boolean', 'Symbol', 'BigInt'].map((name) => users[name].prototype),
  ],
];
const errorNames = [
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AggregateError',
];

/** The prototypes that show that an object is of the kind that it is in V8. */
function kindPrototypes(value) {
  return kinds.find(([test]) => test(value))?.[1](value) ?? [];
}

function named(prototype) {
  const maker = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  const name = isObject(maker) ? getOwnPropertyDescriptor(maker, 'name')?.value : undefined;
  return typeof name === 'string' && name !== '' ? `an object of ${name}` : 'an object of Node itself';
}
