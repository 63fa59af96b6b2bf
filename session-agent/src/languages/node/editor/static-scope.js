import { types } from 'node:util';

import { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, ownList, users } from '../realm/users-realm.js';

/** `Object` of the user's realm, so that an object made from a primitive has the members that the user's code sees. */
const toObject = users.Object;
/** Node makes many of its globals when they are first read. Reading these prints a warning. */
const unread = new Set(['localStorage', 'sessionStorage']);

/** Finds the values of names and members without running any of the user's code: no getter, no trap of a proxy. */
export function createStaticScope({ evaluator, importGetters }) {
  const builtinGetters = new Map();
  const hidden = new Set();
  for (const name of ownList(ownKeys(users))) {
    const { get, enumerable } = getOwnPropertyDescriptor(users, name);
    if (get && !unread.has(name)) builtinGetters.set(name, get);
    if (typeof name === 'string' && name.startsWith('$') && !enumerable) hidden.add(name);
  }

  const globalValue = (name) => {
    const property = getOwnPropertyDescriptor(users, name);
    if (property?.get && (builtinGetters.get(name) === property.get || importGetters.has(property.get)))
      return found(apply(property.get, users, []));
    return property ? dataValue(property) : null;
  };

  return {
    /** Maps the names that code at top level sees to functions that read them. Names that steps have declared come first. */
    names() {
      const names = new Map();
      for (const [name, value] of evaluator.lexicalValues()) names.set(name, () => found(value));
      for (const name of ownList(ownKeys(users)).reverse()) {
        if (typeof name === 'string' && !names.has(name) && !hidden.has(name)) names.set(name, () => globalValue(name));
      }
      return names;
    },
    /** Returns `{value}` of a name with members, or null if only running code could tell it. */
    find([name, ...members]) {
      const lexical = evaluator.lexicalValues();
      let at = lexical.has(name) ? found(lexical.get(name)) : globalValue(name);
      for (const member of members) at = at && memberOf(at.value, member);
      return at;
    },
    members,
  };
}

/** Maps the names of a value's members, its own first, to their property descriptors. */
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
    if (property) return dataValue(property);
  }
  return null;
}

function* prototypes(value) {
  if (value === null || value === undefined) return;
  const isObject = typeof value === 'object' || typeof value === 'function';
  let at = isObject ? value : toObject(value);
  for (; at !== null && !types.isProxy(at); at = getPrototypeOf(at)) yield at;
}

function dataValue(property) {
  return 'value' in property ? found(property.value) : null;
}

function found(value) {
  return { value };
}
