import { builtinModules } from 'node:module';
import { runInThisContext } from 'node:vm';

/** The global object of the user's realm. */
export const users = runInThisContext('globalThis');

/**
 * `Reflect` of the user's realm, taken before any step. Node makes some properties when they are first read, and expects that read
 * to come from this realm.
 */
export const { apply, deleteProperty, get, set, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } =
  runInThisContext('Reflect');

/** An array of this realm with the elements of an array of the user's, whose methods and iteration steps may have replaced. */
export function ownList(array) {
  return Array.from({ length: array.length }, (_, index) => array[index]);
}

/** Globals that are getters until a step binds the name itself: the modules of Node, and the session's operations. */
export const offeredNames = [...ownList(builtinModules), 'holdfast'];
