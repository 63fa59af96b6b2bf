import { types } from 'node:util';
import { users } from '../realm/users-realm.js';

/** Whether a value is a list or an object without a class. */
export function isPlain(value) {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return [null, users.Object.prototype, users.Array.prototype].includes(prototype);
}
