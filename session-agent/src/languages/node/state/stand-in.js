import { runInThisContext } from 'node:vm';
import { deleteProperty, getOwnPropertyDescriptor, users } from '../realm/users-realm.js';

const { defineProperty } = Reflect;
const filename = '[recovered]';

/** The name of what stands in for the class that another one extends. */
export const standIn = '$base$';

/**
 * Evaluates source in the global scope, in which something stands in for these names: whatever code does with it, it gets the same again,
 * and a class can extend it. So a class keeps its text, and its real prototypes are set afterwards. A name that has a function is left.
 */
export function evaluateWith(source, names) {
  const base = new users.Proxy(function Base() {}, {
    get: (_target, key) => (key === 'prototype' ? null : base),
    apply: () => base,
    construct: () => base,
  });
  const before = new Map([standIn, ...names].map((name) => [name, getOwnPropertyDescriptor(users, name)]));
  const replaced = [...before].filter(
    ([, property]) => !property || (property.configurable && typeof property.value !== 'function'),
  );
  for (const [name] of replaced) defineProperty(users, name, { value: base, configurable: true, writable: true });
  try {
    return runInThisContext(source, { filename });
  } finally {
    for (const [name, property] of replaced) {
      if (property) defineProperty(users, name, property);
      else deleteProperty(users, name);
    }
  }
}
