import {
  deleteProperty,
  getOwnPropertyDescriptor,
  offeredNames,
  ownKeys,
  ownList,
  users,
} from '../realm/users-realm.js';

/** Knows the names that steps have made, and how each is bound. */
export function createNames({ evaluator, boundNames, imported }) {
  const inherited = new Map(ownList(ownKeys(users)).map((key) => [key, getOwnPropertyDescriptor(users, key).get]));
  const offered = new Set(offeredNames);
  const isInherited = (key, { get }) => inherited.has(key) && (!offered.has(key) || get === inherited.get(key));

  return {
    /** Maps each name to `{binding, value}`, or to `{binding: 'import', source}`, or to `{binding: 'accessor'}`. */
    list() {
      const names = new Map();
      for (const key of ownList(ownKeys(users))) {
        const property = getOwnPropertyDescriptor(users, key);
        if (typeof key !== 'string' || isInherited(key, property)) continue;
        const source = property.get && imported.get(property.get);
        if (source) names.set(key, { binding: 'import', source });
        else if (property.get || property.set) names.set(key, { binding: 'accessor' });
        else names.set(key, { binding: property.configurable ? 'property' : 'var', value: property.value, property });
      }
      for (const [name, value] of evaluator.lexicalValues()) {
        const source = boundNames.isLive(name) ? imported.live.get(name) : undefined;
        if (source) names.set(name, { binding: 'import', source });
        else names.set(name, { binding: boundNames.isConstant(name) ? 'const' : 'let', value });
      }
      return names;
    },
    remove: (name) => deleteProperty(users, name),
    set: (name, value) => {
      Object.defineProperty(users, name, { value, writable: true, enumerable: true, configurable: true });
    },
    has: (name) => getOwnPropertyDescriptor(users, name) !== undefined,
    get: (name) => getOwnPropertyDescriptor(users, name)?.value,
  };
}
