import { isObject } from './builtins.js';
import { isPlain } from './object-kinds.js';

/** Node itself sets these. */
const untold = new Set(['process.domain', 'module.children', 'module.loaded']);

/** Data that Node itself changes, and the environment, which a snapshot has. */
const changing = new Set([
  'env',
  'moduleLoadList',
  'children',
  'paths',
  'cache',
  'extensions',
  'globalPaths',
  'workers',
  'main',
  'exports',
]);

/**
 * Notices the properties that steps have set, replaced or deleted on what Node provides besides the language itself: `process`, `console`, the
 * modules and their classes. `list` returns these objects as `[name, object]`. One that Node loads later is compared with how it looked when it
 * was first seen, so of the step that loads it only the functions are noticed.
 */
export function createProvided({ inspected, list }) {
  const seen = new Map();
  const note = (name, object, isBefore) => {
    if (seen.has(object)) return;
    const properties = propertiesOf(object);
    const bySteps = isBefore ? [] : [...properties.keys()].filter((key) => isOfSteps(properties.get(key).value));
    seen.set(object, { name, properties, bySteps });
  };
  const isOfSteps = (value) => typeof value === 'function' && inspected.isOfSteps(value);
  const noteAll = (isBefore) => {
    for (const [name, object] of list()) {
      note(name, object, isBefore);
      for (const [member, part] of [...classesOf(object), ...dataOf(object)]) note(`${name}.${member}`, part, isBefore);
    }
  };
  noteAll(true);

  return {
    /** The changed properties as code would name them. */
    changed() {
      noteAll(false);
      const found = new Set();
      for (const [object, { name, properties, bySteps }] of seen) {
        for (const key of [...bySteps, ...changedKeys(object, properties, isOfSteps)]) {
          const shown = `${name}.${typeof key === 'symbol' ? `[${key.description}]` : key}`;
          if (!untold.has(shown) && !shown.includes('._')) found.add(shown);
        }
      }
      return [...found];
    },
  };
}

function propertiesOf(object) {
  return new Map(Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)]));
}

/** The prototypes of the object itself and of the classes that it has, by name. */
function* classesOf(object) {
  for (const key of ['', ...Object.keys(object)]) {
    const kind = key === '' ? object : Object.getOwnPropertyDescriptor(object, key).value;
    const prototype = typeof kind === 'function' && Object.getOwnPropertyDescriptor(kind, 'prototype')?.value;
    if (isObject(prototype)) yield [key === '' ? 'prototype' : `${key}.prototype`, prototype];
  }
}

/** The plain objects and lists that the object has, by name. */
function* dataOf(object) {
  for (const key of Object.keys(object)) {
    const { value } = Object.getOwnPropertyDescriptor(object, key);
    if (!key.startsWith('_') && !changing.has(key) && isPlain(value)) yield [key, value];
  }
}

/** Goes through thousands of properties in each snapshot, so it makes no list of them. */
function* changedKeys(object, before, isOfSteps) {
  let kept = 0;
  for (const key of Reflect.ownKeys(object)) {
    const { value, get } = Object.getOwnPropertyDescriptor(object, key);
    const original = before.get(key);
    if (original) kept += 1;
    // Node makes some properties when they are first read.
    if (original?.get && get !== original.get ? isOfSteps(get ?? value) : !Object.is(original?.value, value)) yield key;
    else if (!original) yield key;
  }
  if (kept === before.size) return;
  for (const key of before.keys()) {
    if (!Object.hasOwn(object, key)) yield key;
  }
}
