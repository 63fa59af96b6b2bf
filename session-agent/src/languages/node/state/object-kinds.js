import { types } from 'node:util';
import { users } from '../realm/users-realm.js';

const { apply } = Reflect;
const { isArray } = Array;
const getter = (prototype, key) => Object.getOwnPropertyDescriptor(prototype, key).get;
const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
/** V8's own view of an object, even if a step has replaced the methods. */
export const read = {
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
  isDetached: getter(ArrayBuffer.prototype, 'detached'),
  isResizable: getter(ArrayBuffer.prototype, 'resizable'),
  bufferLength: getter(ArrayBuffer.prototype, 'byteLength'),
};

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
export function kindPrototypes(value) {
  return kinds.find(([test]) => test(value))?.[1](value) ?? [];
}

/** Whether a value is a list or an object without a class. */
export function isPlain(value) {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return [null, users.Object.prototype, users.Array.prototype].includes(prototype);
}
