import { defineHelper } from './module-globals.js';

/** The function in place of a constant that code assigns to: `$constant$(() => name).value`. */
export const constantHelper = '$constant$';

export const assignmentMessage = 'Assignment to constant variable.';

/** Provides the property that can be read like the constant and throws like it when it is assigned to. */
export function provideConstants() {
  defineHelper(constantHelper, (read) => ({
    get value() {
      return read();
    },
    set value(_) {
      // A constant without a value yet is a ReferenceError.
      read();
      throw new TypeError(assignmentMessage);
    },
  }));
}
