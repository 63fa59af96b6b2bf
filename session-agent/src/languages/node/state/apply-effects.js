import { isBuiltin } from 'node:module';
import { affectedBy } from './reach.js';
import { environment, surroundingsOfFunction } from './reached-surroundings.js';

export const changedLater = 'A step after the snapshot may have changed it.';

const none = new Set();
const noEffects = {
  bound: none,
  mentioned: none,
  isAll: false,
  changesFunctions: false,
  assignedMembersOf: none,
  surroundings: none,
};

/** Loses the names that code may have changed which does not run again, and remembers what their values may do since. */
export function createApplyEffects({ recovered, builtins, inspected }) {
  const { bindings, modules, lost, unsaved } = recovered;

  /** The names and values that code with these effects can get hold of; null if these may be any. */
  const reachOf = (effects) => {
    const values = new Map();
    for (const [name, binding] of bindings) if (binding !== 'import') values.set(name, recovered.valueOf(name));
    return affectedBy(effects, { values, modules, unknown: recovered.unknownOf, builtins, inspected });
  };

  /** Notes what the names may hold that the effects have changed: what they held before, or anything that the effects could reach. */
  const noteUnknown = (changed, effects, reach) => {
    const before = reach && reachOf({ ...noEffects, mentioned: changed });
    const what = before && {
      ...noEffects,
      bound: new Set([...effects.bound, ...reach.affected, ...before.affected]),
      mentioned: new Set([...effects.mentioned, ...reach.used, ...reach.affected, ...before.used, ...before.affected]),
      changesFunctions: reach.functionsChange || before.functionsChange,
      surroundings: new Set([...effects.surroundings, ...reach.surroundings, ...before.surroundings]),
      holdsEnvironment: effects.holdsEnvironment,
    };
    for (const name of changed) recovered.noteUnknown(name, what);
  };

  /** The surroundings that a step may have changed, also by the functions of Node that it has imported. */
  const surroundingsOf = (reach) => {
    const found = new Set(reach.surroundings);
    // One that could not be saved may be `process.env`.
    if ([...reach.assignedMembers].some((name) => unsaved.has(name))) found.add(environment);
    for (const name of reach.assignedMembers) {
      // A module of Node has no value of its own that could be lost.
      if (bindings.get(name) === 'import' && isBuiltin(modules.get(name)))
        found.add(`${modules.get(name).replace(/^node:/, '')}.${recovered.importedName(name)}`);
    }
    for (const name of reach.used) {
      if (bindings.get(name) !== 'import' || !isBuiltin(modules.get(name))) continue;
      const imported = recovered.importedName(name);
      for (const one of surroundingsOfFunction(imported)) found.add(one);
      if (imported === 'env' && /^(node:)?process$/.test(modules.get(name)) && reach.assignedMembers.has(name))
        found.add(environment);
    }
    return found;
  };

  /** A name of the user can be the same as one of Node's, and stand for something else. */
  const isOfUser = (name) => {
    if (!bindings.has(name)) return false;
    return bindings.get(name) === 'import'
      ? !isBuiltin(modules.get(name))
      : builtins.pathOf(recovered.valueOf(name)) === null;
  };

  /** Code that can change any name may also have made names that it does not mention. */
  const loseUnknown = (reason, bound) => {
    recovered.loseAll(reason, bound);
    lost.set('*', reason);
  };

  return {
    reachOf,
    loseUnknown,
    apply(effects) {
      const reach = reachOf(effects);
      // An object that was not saved may share parts with those that were.
      if (reach === null) return loseUnknown(changedLater, effects.bound);
      for (const name of surroundingsOf(reach)) {
        if (!lost.has(name) && !isOfUser(name.split('.')[0])) lost.set(name, changedLater);
      }
      if ([...reach.used].some((name) => unsaved.has(name))) return recovered.loseAll(changedLater, reach.affected);
      noteUnknown(reach.affected, effects, reach);
      for (const name of reach.affected) recovered.lose(name, changedLater);
    },
    /** Loses names that a step may have defined which did not end well. */
    loseDefined(defined, effects) {
      noteUnknown(defined, effects, reachOf({ ...noEffects, mentioned: effects.mentioned }));
      for (const name of defined) recovered.lose(name, changedLater);
    },
  };
}
