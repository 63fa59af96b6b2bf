import { builtinReachesAll, effectsOfText, moduleReachesAll } from './effects.js';
import { environment, surroundingsOfFunction } from './reached-surroundings.js';
import { referencesOf } from './references-of.js';
import { createGraphSaver } from './save-graph.js';

/**
 * Tells which names code may have changed: those that it binds, and those that share an object with a name that it mentions, or that a
 * function which it reaches mentions in turn. `used` are all names that it may read, and `surroundings` those that it may change. Returns null if it may reach any. `modules` maps the
 * imported names to the modules that they are from. `unknown` gives, for a name whose value is not known, what it may be or do: effects of the
 * same form, or null if it may be anything; undefined for other names.
 */
export function affectedBy(effects, { values, modules, unknown, builtins, inspected }) {
  const graph = graphOf({ values, builtins, inspected });
  const affected = new Set();
  const reached = new Set();
  const roots = new Set();
  const waiting = [];
  let functionsChange = false;
  const assignedMembers = new Set();
  const used = new Set();
  const surroundings = new Set();
  /** An unknown value may be that of another name. */
  const addAssigned = (name) => {
    if (assignedMembers.has(name)) return;
    assignedMembers.add(name);
    for (const other of unknown(name)?.mentioned ?? []) addAssigned(other);
  };
  const take = (found) => {
    if (found === null || found.isAll) return false;
    for (const name of found.mentioned) {
      if (modules.has(name) && moduleReachesAll(modules.get(name))) return false;
      if (used.has(name)) continue;
      used.add(name);
      const hidden = unknown(name);
      if (hidden !== undefined && !take(hidden)) return false;
    }
    for (const name of found.bound) affected.add(name);
    for (const name of found.surroundings) surroundings.add(name);
    functionsChange ||= found.changesFunctions;
    for (const name of found.assignedMembersOf) addAssigned(name);
    for (const name of [...found.bound, ...found.mentioned]) {
      if (roots.has(name)) continue;
      roots.add(name);
      if (graph.refused.has(name)) return false;
      const id = graph.roots.get(name);
      if (id !== undefined) waiting.push(id);
    }
    return true;
  };
  if (!take(effects)) return null;
  while (waiting.length > 0) {
    const id = waiting.pop();
    if (reached.has(id)) continue;
    reached.add(id);
    const entity = graph.entities[id];
    if (entity[0] === 'builtin' && builtinReachesAll(entity.slice(1))) return null;
    if (entity[0] === 'builtin') for (const name of surroundingsOfFunction(entity.at(-1))) surroundings.add(name);
    if ((entity[0] === 'function' || entity[0] === 'class') && !take(effectsOfText(entity[1]))) return null;
    waiting.push(...referencesOf(entity));
  }
  for (const name of assignedMembers) if (values.has(name)) affected.add(name);
  const isChangeable = (id) => reached.has(id) && (functionsChange || !isFixed(graph.entities[id], graph.entities));
  const changed = new Set([...reached].filter(isChangeable));
  for (const name of assignedMembers) {
    const id = graph.roots.get(name);
    if (id !== undefined && graph.entities[id][0] !== 'builtin') changed.add(id);
    if (id !== undefined && graph.entities[id][0] === 'builtin') surroundings.add(shownBuiltin(graph.entities[id]));
    // A name that is lost or new may have it, if it got its value from there.
    const isNew = effects.holdsEnvironment && effects.bound.has(name);
    if (isNew || unknown(name)?.holdsEnvironment) surroundings.add(environment);
  }
  for (const [name, id] of graph.roots) if (touches(graph.entities, id, changed)) affected.add(name);
  for (const name of graph.refused) affected.add(name);
  return { affected, used, functionsChange, surroundings, assignedMembers };
}

function graphOf({ values, builtins, inspected }) {
  builtins.look();
  const saver = createGraphSaver({
    builtins,
    inspected,
    bindings: new Map([...values].map(([name, value]) => [name, { value }])),
    deadline: Infinity,
    bytesMax: Infinity,
  });
  const roots = new Map();
  const refused = new Set();
  for (const [name, value] of values) {
    try {
      const encoded = saver.save(value);
      if (Array.isArray(encoded) && typeof encoded[0] === 'number') roots.set(name, encoded[0]);
    } catch {
      refused.add(name);
    }
  }
  inspected.release();
  return { entities: saver.entities, roots, refused };
}

/** The name by which code finds an object of Node with this way. */
function shownBuiltin([, kind, ...way]) {
  const keys = kind === 'global' ? way : ['value', ...way];
  const shown = keys.filter((_, at) => at % 2 === 1).join('.');
  return shown === 'process.env' ? environment : shown;
}

function touches(entities, root, changed) {
  const seen = new Set();
  const waiting = [root];
  while (waiting.length > 0) {
    const id = waiting.pop();
    if (seen.has(id)) continue;
    if (changed.has(id)) return true;
    seen.add(id);
    waiting.push(...referencesOf(entities[id]));
  }
  return false;
}

const natural = new Set(['length', 'name', 'prototype', 'arguments', 'caller']);

/** Whether code that has it or calls it leaves it as it is. */
function isFixed(entity, entities) {
  const kindAt = (value) =>
    Array.isArray(value) && typeof value[0] === 'number' ? entities[value[0]]?.[0] : undefined;
  switch (entity[0]) {
    case 'builtin':
    case 'symbol':
    case 'member':
    case 'prototype':
      return true;
    case 'scope':
      return entity[2] === 0;
    case 'object':
      // The object to which the instances of a function would belong.
      return entity[2].length === 1 && entity[2][0][0] === 'constructor' && kindAt(entity[2][0][2]) === 'function';
    case 'function':
    case 'class':
      return entity.at(-2).every(([key, , value]) => natural.has(key) || kindAt(value) === 'member');
    default:
      return false;
  }
}
