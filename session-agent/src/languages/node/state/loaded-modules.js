import { isBuiltin } from 'node:module';
import { types } from 'node:util';
import { getOwnPropertyDescriptor, ownKeys, ownList, users } from '../realm/users-realm.js';
import { isPlain } from './object-kinds.js';

/**
 * Remembers the modules that steps have loaded, and how, so that a snapshot has a way to them and to their functions and classes. Data of
 * modules are saved as they are. There is no way to a module whose data have changed, since it would have the first ones again.
 */
export function createLoadedModules({ onLoad, importModule }) {
  const loaded = new Map();
  const again = new Map();
  onLoad((exported, { kind, specifier, attributes = null }) => {
    if (kind === 'require' && (isBuiltin(specifier) || !isCode(exported))) return;
    if (loaded.has(exported)) return;
    const way = [kind, String(specifier), attributes && JSON.stringify(attributes)];
    loaded.set(exported, { way, data: dataOf(exported) });
  });

  return {
    /** The ways to the modules and to what they export, as `[value, way]`. */
    *ways() {
      for (const [exported, { way, data }] of loaded) {
        if (!isSameData(data, dataOf(exported))) continue;
        yield [exported, way];
        for (const [key, value] of membersOf(exported)) {
          if (typeof value !== 'function') continue;
          yield [value, [...way, 'value', key]];
          const prototype = Object.getOwnPropertyDescriptor(value, 'prototype')?.value;
          if (prototype?.constructor === value) yield [prototype, [...way, 'value', key, 'value', 'prototype']];
        }
      }
    },
    /** Loads the modules again to which ways of a snapshot lead. */
    async load(ways) {
      for (const way of ways) {
        const [kind, specifier, attributes] = way;
        const options = attributes ? { with: JSON.parse(attributes) } : undefined;
        try {
          again.set(keyOf(way), {
            exported: kind === 'require' ? users.require(specifier) : await importModule(specifier, options),
          });
        } catch (error) {
          again.set(keyOf(way), { error });
        }
      }
    },
    /** The module that has been loaded again. Throws if it could not be. */
    at(way) {
      const found = again.get(keyOf(way));
      if (!found || found.error) throw new Error(`its import of ${way[1]} failed`);
      return found.exported;
    },
  };
}

export const isLoadedWay = ([kind]) => kind === 'import' || kind === 'require';

const keyOf = (way) => JSON.stringify(way.slice(0, 3));

/** Whether a module exports functions. One that has data alone is saved as data. */
function isCode(exported) {
  if (typeof exported === 'function') return true;
  return (
    typeof exported === 'object' &&
    exported !== null &&
    membersOf(exported).some(([, value]) => typeof value === 'function')
  );
}

/** The members that are there without running code. A variable of a module may have no value yet. */
function membersOf(exported) {
  if (types.isProxy(exported)) return [];
  return ownList(ownKeys(exported)).flatMap((key) => {
    try {
      const property = getOwnPropertyDescriptor(exported, key);
      return typeof key === 'string' && 'value' in property ? [[key, property.value]] : [];
    } catch {
      return [];
    }
  });
}

const dataMax = 2000;

/** The data of a module as a flat list, as far as lists and plain objects go; null if there are too many. */
function dataOf(exported) {
  const found = [];
  const seen = new Set();
  const visit = (object) => {
    if (seen.has(object)) return;
    seen.add(object);
    for (const [key, value] of membersOf(object)) {
      found.push(key, value);
      if (found.length > dataMax) return;
      if (isPlain(value)) visit(value);
    }
  };
  visit(exported);
  return found.length > dataMax ? null : found;
}

const isSameData = (before, now) =>
  before !== null &&
  now !== null &&
  before.length === now.length &&
  now.every((value, at) => Object.is(value, before[at]));
