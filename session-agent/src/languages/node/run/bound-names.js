import { deleteProperty, getOwnPropertyDescriptor, users } from '../realm/users-realm.js';
import { declaredBy } from '../rewrite/top-level.js';

/**
 * Knows the names of earlier steps that code may not assign to: constants, which are variables of the script, and imports. An import
 * is a getter of the global object, or, if a script has a variable of that name already, live in the code of later steps alone.
 */
export function createBoundNames({ evaluator, importGetters }) {
  const kinds = new Map();
  return {
    /** Whether any name needs attention. Otherwise most steps can be evaluated as they are. */
    get any() {
      return kinds.size > 0;
    },
    isConstant: (name) => kinds.get(name) === 'constant',
    isLive: (name) => kinds.get(name) === 'live',

    /** Returns the names that a step declares although V8 would refuse it: a script's variables, and global properties that stay. */
    taken({ lexicalNames, varNames, functionNames, importedNames }) {
      const variables = evaluator.lexicalNames();
      const taken = new Set();
      for (const name of lexicalNames) if (isFixed(name) && isAssignable(name)) taken.add(name);
      for (const name of importedNames) if (isFixed(name)) taken.add(name);
      for (const name of [...varNames, ...functionNames, ...importedNames]) if (variables.has(name)) taken.add(name);
      return taken;
    },

    /** Frees the names of imports that a step declares as `var`, which would keep the getter. */
    free({ varNames }) {
      for (const name of varNames) {
        if (kinds.get(name) === 'import' && importGetters.has(getOwnPropertyDescriptor(users, name)?.get)) {
          deleteProperty(users, name);
        }
      }
    },

    /** Notes the names of a step that begins. Returns a function that takes this back if V8 rejects the step. */
    note(topLevel, taken) {
      const declared = [...declaredBy(topLevel)];
      const before = declared.filter((name) => kinds.has(name)).map((name) => [name, kinds.get(name)]);
      const forget = () => {
        for (const name of declared) kinds.delete(name);
      };
      forget();
      for (const name of topLevel.constantNames) kinds.set(name, 'constant');
      for (const name of topLevel.importedNames) kinds.set(name, taken.has(name) ? 'live' : 'import');
      return () => {
        forget();
        for (const [name, kind] of before) kinds.set(name, kind);
      };
    },
    /** Notes whether a name of a context that is being recovered is a constant. */
    mark(name, isConstant) {
      if (isConstant) kinds.set(name, 'constant');
      else kinds.delete(name);
    },
    /** Forgets names that a failed step has left without a value: later steps may assign to them. */
    forget(names) {
      for (const name of names) kinds.delete(name);
    },
  };
}

function isFixed(name) {
  return getOwnPropertyDescriptor(users, name)?.configurable === false;
}

/** Whether an assignment can replace a declaration. V8 rightly refuses to declare a global property that never changes. */
function isAssignable(name) {
  const property = getOwnPropertyDescriptor(users, name);
  return property?.writable === true || property?.set !== undefined;
}
