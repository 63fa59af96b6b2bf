import process from 'node:process';
import { deleteProperty, set } from '../realm/users-realm.js';

/** Sets environment variables for one step, and returns a function that restores their earlier values. */
export function setEnvironment(variables) {
  const environment = process.env;
  const before = new Map();
  for (const [name, value] of Object.entries(variables)) {
    before.set(name, Object.hasOwn(environment, name) ? environment[name] : undefined);
    set(environment, name, value);
  }
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) deleteProperty(environment, name);
      else set(environment, name, value);
    }
  };
}
