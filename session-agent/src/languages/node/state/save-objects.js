import { types } from 'node:util';
import { users } from '../realm/users-realm.js';
import { isObject } from './builtins.js';
import { hasPrivateMembers } from './class-text.js';
import { kindPrototypes, read } from './object-kinds.js';
import { Refusal } from './refusal.js';

const { apply, ownKeys } = Reflect;
const { getOwnPropertyDescriptor, getPrototypeOf, isExtensible } = Object;
const { isArray } = Array;
const { isRawJSON = () => false } = JSON;
const { toString: functionText } = Function.prototype;
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

const privateMembers = 'It has private members, which only code of its class can set.';

/** Returns the function that describes an object as an entity: its kind, and then what belongs to that kind. It throws a `Refusal`. */
export function createObjectSaver({ builtins, inspected, functions, encode, encodeProperty, common, spend, blobs }) {
  const describe = (value) => {
    for (const [test, what] of opaque) if (types[test](value)) throw new Refusal(`It is ${what}.`);
    if (isRawJSON(value)) throw new Refusal('It is a raw JSON text.');
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
    if (isUsersInstance(value) && inspected.hasPrivateMembers(value)) throw new Refusal(privateMembers);
  };
  const isUsersInstance = (value) => {
    for (let at = getPrototypeOf(value); at !== null && builtins.pathOf(at) === null; at = getPrototypeOf(at)) {
      const maker = getOwnPropertyDescriptor(at, 'constructor')?.value;
      if (typeof maker !== 'function') return true;
      const text = apply(functionText, maker, []);
      // The inspector does not show private methods.
      if (hasPrivateMembers(text)) throw new Refusal(privateMembers);
      if (text.includes('#')) return true;
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
    if (apply(read.isDetached, value, [])) throw new Refusal('It is an ArrayBuffer whose bytes have been moved away.');
    if (apply(read.isResizable, value, [])) throw new Refusal('It is an ArrayBuffer that can be resized.');
    const length = apply(read.bufferLength, value, []);
    spend(length);
    blobs.push(new Uint8Array(new Uint8Array(value)));
    return ['buffer', blobs.length - 1, length, ...common(value)];
  };
  const describeView = (value) => {
    const buffer = apply(read.viewBuffer, value, []);
    if (types.isSharedArrayBuffer(buffer)) throw new Refusal('It is a view of a SharedArrayBuffer.');
    const place = [apply(read.viewOffset, value, []), apply(read.viewLength, value, [])];
    return ['view', apply(read.tag, value, []), encode(buffer), ...place, ...viewParts(value)];
  };
  /** The keys of a view are its elements, of which there may be millions. */
  const viewParts = (value) => [
    encode(getPrototypeOf(value)),
    inspected.namedKeysOf(value).map((key) => encodeProperty(key, getOwnPropertyDescriptor(value, key))),
    isExtensible(value) ? 1 : 0,
  ];
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

  return describe;
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

function named(prototype) {
  const maker = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  const name = isObject(maker) ? getOwnPropertyDescriptor(maker, 'name')?.value : undefined;
  return typeof name === 'string' && name !== '' ? `an object of ${name}` : 'an object of Node itself';
}
