import { inspect, types } from 'node:util';
import { scanTopLevel } from './scan-top-level.js';

const symbolsMax = 10_000;
/** At most six bytes of JSON for each, which leaves room in a message of 16 MiB. */
const charactersMax = 2 * 1024 * 1024;
const unreadCharactersMax = 1024 * 1024;
const unreadStepsMax = 1000;
const boundMax = 100_000;
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
// As they are before any step can replace them.
const { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const functionText = Function.prototype.toString;
const getterOf = (prototype, key) => getOwnPropertyDescriptor(prototype, key).get;
const typedArrayLength = getterOf(getPrototypeOf(Uint8Array.prototype), 'length');
const mapSize = getterOf(Map.prototype, 'size');
const setSize = getterOf(Set.prototype, 'size');
const typedArrayTag = getterOf(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);

/** The names that steps have defined: top-level declarations, and properties that the global object did not have. */
export function createSymbols(evaluator) {
  const inherited = new Set(Object.getOwnPropertyNames(globalThis));
  const boundBy = new Map();
  let unread = [];
  let unreadCharacters = 0;

  const readSteps = () => {
    for (const { stepId, code } of unread) for (const name of boundNames(code)) boundBy.set(name, stepId);
    unread = [];
    unreadCharacters = 0;
    for (const name of boundBy.keys()) {
      if (boundBy.size <= boundMax) break;
      boundBy.delete(name);
    }
  };

  return {
    /** Keeps the step until somebody asks, as most are never asked about; but no more than about a MiB of them. */
    note({ stepId, code }) {
      unread.push({ stepId, code });
      unreadCharacters += code.length;
      if (unreadCharacters > unreadCharactersMax || unread.length > unreadStepsMax) readSteps();
    },
    describe() {
      readSteps();
      const values = evaluator.lexicalValues();
      for (const name of Object.getOwnPropertyNames(globalThis)) {
        const property = inherited.has(name) ? null : getOwnPropertyDescriptor(globalThis, name);
        if (property && 'value' in property) values.set(name, property.value);
      }
      const described = [];
      let characters = 0;
      for (const [name, value] of values) {
        if (name.length > 512) continue;
        const symbol = { name, ...describe(value), stepId: boundBy.get(name) ?? null };
        characters += name.length + symbol.type.length + symbol.preview.length;
        if (characters > charactersMax || described.length === symbolsMax) break;
        described.push(symbol);
      }
      return described;
    },
  };
}

/** Words of a step that may bind a name: those that are declared or assigned at its top level. Too many do no harm. */
function* boundNames(code) {
  for (const [, inPattern] of code.matchAll(/(?:let|const|var|import)\s*[\w$,\s]*[{[]([^=]*)[}\]]/g)) {
    yield* inPattern.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? [];
  }
  for (const token of scanTopLevel(code)) if (token.isWord) yield token.text;
}

function describe(value) {
  return { kind: kindOf(value), type: typeOf(value), preview: preview(value), size: sizeOf(value) };
}

function kindOf(value) {
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

/** Whether `inspect` runs no code of the value's own, and is not long about it. It asks for the type's tag and walks prototypes. */
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
  const keys = ownKeys(value);
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
