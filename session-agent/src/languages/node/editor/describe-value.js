import { inspect, types } from 'node:util';

import { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, ownList, users } from '../realm/users-realm.js';

const keysMax = 100;
const previewOptions = {
  depth: 1,
  maxArrayLength: 5,
  maxStringLength: 80,
  breakLength: Infinity,
  customInspect: false,
  showProxy: true,
  getters: false,
};
const functionText = Function.prototype.toString;
const getterOf = (prototype, key) => getOwnPropertyDescriptor(prototype, key).get;
const typedArrayLength = getterOf(getPrototypeOf(Uint8Array.prototype), 'length');
const mapSize = getterOf(Map.prototype, 'size');
const setSize = getterOf(Set.prototype, 'size');
/** The getter of the user's typed arrays, as each realm has its own. */
const typedArrayTag = getterOf(getPrototypeOf(users.Uint8Array.prototype), Symbol.toStringTag);

/** Returns kind, type, preview and size of a value. Runs none of its code. */
export function describeValue(value) {
  return { kind: kindOf(value), type: typeOf(value), preview: preview(value), size: sizeOf(value) };
}

/** Returns `module`, `class`, `function` or `variable`. */
export function kindOf(value) {
  if (types.isModuleNamespaceObject(value)) return 'module';
  if (typeof value !== 'function') return 'variable';
  return /^class\b/.test(apply(functionText, value, [])) ? 'class' : 'function';
}

function typeOf(value) {
  if (value === null || typeof value !== 'object' || types.isProxy(value))
    return value === null ? 'null' : typeof value;
  const prototype = getPrototypeOf(value);
  if (prototype === null || types.isProxy(prototype)) return 'object';
  const maker = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  const name = typeof maker === 'function' && !types.isProxy(maker) && getOwnPropertyDescriptor(maker, 'name')?.value;
  return typeof name === 'string' && name !== '' ? name.slice(0, 512) : 'object';
}

function preview(value) {
  try {
    if (!isTame(value, 1)) return `<${typeOf(value)}>`;
    return inspect(value, previewOptions).slice(0, 200).toWellFormed();
  } catch {
    return '<no preview>';
  }
}

/** Whether `inspect` runs none of the value's code and ends soon. `inspect` reads the type's tag and walks the prototypes. */
function isTame(value, depth) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || types.isProxy(value)) return true;
  for (let at = value; at !== null; at = getPrototypeOf(at)) {
    if (types.isProxy(at)) return false;
    const tag = getOwnPropertyDescriptor(at, Symbol.toStringTag)?.get;
    if (tag && tag !== typedArrayTag) return false;
  }
  if (types.isTypedArray(value) || types.isModuleNamespaceObject(value)) return true;
  if (Array.isArray(value)) return areTame(valuesAt(value, [0, 1, 2, 3, 4]), depth);
  if (types.isMap(value) || types.isSet(value)) return sizeOf(value) === 0;
  const keys = ownList(ownKeys(value));
  return keys.length <= keysMax && areTame(valuesAt(value, keys), depth);
}

function valuesAt(object, keys) {
  return keys.map((key) => getOwnPropertyDescriptor(object, key)?.value);
}

function areTame(values, depth) {
  return depth < 0 || values.every((value) => isTame(value, depth - 1));
}

function sizeOf(value) {
  if (typeof value === 'string' || Array.isArray(value)) return types.isProxy(value) ? null : value.length;
  if (types.isTypedArray(value)) return apply(typedArrayLength, value, []);
  if (types.isMap(value)) return apply(mapSize, value, []);
  return types.isSet(value) ? apply(setSize, value, []) : null;
}
