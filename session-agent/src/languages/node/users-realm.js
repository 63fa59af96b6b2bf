import { runInThisContext } from 'node:vm';

/** The global object of the user's realm. */
export const users = runInThisContext('globalThis');

/**
 * `Reflect` of the user's realm as it is at the start: what is read by it runs there, as Node wants for properties that it makes
 * when they are first read.
 */
export const { apply, deleteProperty, get, set, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } =
  runInThisContext('Reflect');
