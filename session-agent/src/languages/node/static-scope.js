import { types } from 'node:util';

import { ownList } from './own-list.js';
import { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, users } from './users-realm.js';

/** Of the user's realm, so that what it makes of a primitive has the members that code would see. */
const toObject = users.Object;
/** Node makes many of its globals when they are first read; these would warn. */
const unread = new Set(['localStorage', 'sessionStorage']);

/** Looks names and their members up without running any of the user's code: no getter, no trap of a proxy. */
export function createStaticScope(evaluator) {
  const builtinGetters = new Map();
  const hidden = new Set();
  for (const name of ownList(ownKeys(users))) {
    const { get, enumerable } = getOwnPropertyDescriptor(users, name);
    if (get && !unread.has(name)) builtinGetters.set(name, get);
    if (typeof name === 'string' && name.startsWith('$') && !enumerable) hidden.add(name);
  }

  const globalValue = (name) => {
    const property = getOwnPropertyDescriptor(users, name);
    if (property?.get && builtinGetters.get(name) === property.get) return found(apply(property.get, users, []));
    return property ? held(property) : null;
  };

  return {
    /** Names that code at top level sees, those that steps have declared first, with a way to their values. */
    names() {
      const names = new Map();
      for (const [name, value] of evaluator.lexicalValues()) names.set(name, () => found(value));
      for (const name of ownList(ownKeys(users)).reverse()) {
        if (typeof name === 'string' && !names.has(name) && !hidden.has(name)) names.set(name, () => globalValue(name));
      }
      return names;
    },
    /** `{value}` of a name and members of it, or null where that is not known without running code. */
    find([name, ...members]) {
      const lexical = evaluator.lexicalValues();
      let at = lexical.has(name) ? found(lexical.get(name)) : globalValue(name);
      for (const member of members) at = at && memberOf(at.value, member);
      return at;
    },
    members,
  };
}

/** The names of a value's members, its own first, with their property descriptors. */
function members(value) {
  const all = new Map();
  for (const at of prototypes(value)) {
    for (const key of ownList(ownKeys(at))) {
      if (typeof key === 'string' && !all.has(key)) all.set(key, getOwnPropertyDescriptor(at, key));
    }
  }
  return all;
}

function memberOf(value, member) {
  for (const at of prototypes(value)) {
    const property = getOwnPropertyDescriptor(at, member);
    if (property) return held(property);
  }
  return null;
}

function* prototypes(value) {
  if (value === null || value === undefined) return;
  const isObject = typeof value === 'object' || typeof value === 'function';
  let at = isObject ? value : toObject(value);
  for (; at !== null && !types.isProxy(at); at = getPrototypeOf(at)) yield at;
}

function held(property) {
  return 'value' in property ? found(property.value) : null;
}

function found(value) {
  return { value };
}
