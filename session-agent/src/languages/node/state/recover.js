import { readFileSync } from 'node:fs';
import { readStep } from '../read/read-step.js';
import { blockFunctions } from '../rewrite/declared-names.js';
import { declaredBy } from '../rewrite/top-level.js';
import { readArchive } from './archive.js';
import { readEffects } from './definitions.js';
import { effectsOf } from './effects.js';
import { loadGraph } from './load-graph.js';
import { affectedBy } from './reach.js';
import { environment, surroundingsOfFunction } from './reached-surroundings.js';
import { firstNames, firstReasons } from './shorten-lists.js';
import { restoreSurroundings } from './surroundings.js';

const none = new Set();
const noEffects = {
  bound: none,
  mentioned: none,
  isAll: false,
  changesFunctions: false,
  assignedMembersOf: none,
  surroundings: none,
};
const changedLater = 'A step after the snapshot may have changed it.';
const holderName = '$recovered$';
const unreadable = 'A step after the snapshot cannot be read.';

/**
 * Gives a new kernel the state of a snapshot and of the steps after it. While it works, all names are properties of the global object, which can
 * be removed; at the end they are declared as they were.
 */
export async function recover({ names, builtins, inspected, boundNames, run }, folder) {
  const bindings = new Map();
  /** The modules of imported names. */
  const modules = new Map();
  const restored = new Set();
  const replayed = new Set();
  const lost = new Map();
  const unsaved = new Set();
  /** For each lost name, the effects that its value may have, as `affectedBy` needs them. */
  const unknown = new Map();
  let stopped = null;

  const lose = (name, reason) => {
    names.remove(name);
    boundNames.mark(name, false);
    bindings.delete(name);
    restored.delete(name);
    replayed.delete(name);
    lost.set(name, reason);
    if (!unknown.has(name)) unknown.set(name, null);
  };
  const bind = (name, binding, value) => {
    names.set(name, value);
    boundNames.mark(name, binding === 'const');
    bindings.set(name, binding);
  };
  const known = (name) => {
    lost.delete(name);
    unsaved.delete(name);
    unknown.delete(name);
    restored.delete(name);
    replayed.add(name);
  };
  /** Loses what there is, and `bound`, which a step has bound. */
  const loseAll = (reason, bound = []) => {
    for (const name of [...bindings.keys(), ...bound]) {
      unknown.set(name, null);
      lose(name, reason);
    }
  };
  /** Code that can change any name may also have made names that it does not mention. */
  const loseUnknown = (reason, bound) => {
    loseAll(reason, bound);
    lost.set('*', reason);
  };

  const importNames = async (source, { specifier, list, note }) => {
    const { status } = await run(source);
    for (const name of list) {
      modules.set(name, specifier);
      if (status !== 'succeeded') lose(name, 'Its import failed.');
      else {
        bindings.set(name, 'import');
        note(name);
      }
    }
  };

  const loadImport = async (name, content) => {
    const note = () => restored.add(name);
    await importNames(importSource(name, content), { specifier: content.specifier, list: [name], note });
  };

  const load = async () => {
    const archive = readIfThere(`${folder}/archive`);
    if (archive === null) return;
    const { head, blobs, manifest } = archive;
    for (const { name, reason } of manifest.notSaved) {
      lost.set(name, reason);
      unsaved.add(name);
    }
    for (const [name, reason] of restoreSurroundings(head.surroundings)) lost.set(name, reason);
    builtins.look();
    const decode = loadGraph({ entities: head.entities, blobs, builtins });
    for (const [name, binding, content] of head.bindings) {
      if (binding === 'import') await loadImport(name, content);
      else {
        bind(name, binding, decode(content));
        restored.add(name);
      }
    }
  };

  const define = async ({ name, binding, source, imports, names: list, specifier, needs }) => {
    if (imports) return await importNames(imports, { specifier, list, note: known });
    if (needs !== undefined && !bindings.has(needs)) return lose(name, `${needs} does not exist.`);
    // As the value of a member it has the name, and mentions the variable rather than itself.
    const holder = {};
    names.set(holderName, holder);
    const { status } = await run(`${holderName}.value = { ${name}: ${source}\n}`);
    names.remove(holderName);
    if (status !== 'succeeded') return lose(name, 'Its definition failed.');
    bind(name, binding ?? bindings.get(name) ?? 'property', holder.value[name]);
    known(name);
  };

  /** Returns the effects that the value of a lost name may have, null if it may have any, and undefined for a known name. */
  const unknownOf = (name) => {
    if (unknown.has(name)) return unknown.get(name);
    return lost.has('*') && !bindings.has(name) && !names.has(name) ? null : undefined;
  };
  const reachOf = (effects) => {
    const values = new Map();
    for (const [name, binding] of bindings) if (binding !== 'import') values.set(name, names.get(name));
    return affectedBy(effects, { values, modules, unknown: unknownOf, builtins, inspected });
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
    for (const name of changed) unknown.set(name, what);
  };
  const isPrimitive = (name) => {
    const value = names.get(name);
    return (
      bindings.has(name) &&
      bindings.get(name) !== 'import' &&
      (value === null || !/^(object|function)$/.test(typeof value))
    );
  };
  /** The surroundings that a step may have changed, also by the functions of Node that it has imported. */
  const surroundingsOf = (reach) => {
    const found = new Set(reach.surroundings);
    // One that could not be saved may be `process.env`.
    if ([...reach.assignedMembers].some((name) => unsaved.has(name))) found.add(environment);
    for (const name of reach.used) {
      if (bindings.get(name) !== 'import' || !/^(node:)?process$/.test(modules.get(name))) continue;
      const imported = names.list().get(name)?.source?.imported;
      for (const one of surroundingsOfFunction(imported)) found.add(one);
      if (imported === 'env' && reach.assignedMembers.has(name)) found.add(environment);
    }
    return found;
  };
  const applyEffects = (effects) => {
    const reach = reachOf(effects);
    // An object that was not saved may share parts with those that were.
    if (reach === null) return loseUnknown(changedLater, effects.bound);
    for (const name of surroundingsOf(reach)) {
      // A name of the user can be the same as one of Node's.
      if (!lost.has(name) && !bindings.has(name.split('.')[0])) lost.set(name, changedLater);
    }
    if ([...reach.used].some((name) => unsaved.has(name))) return loseAll(changedLater, reach.affected);
    noteUnknown(reach.affected, effects, reach);
    for (const name of reach.affected) lose(name, changedLater);
  };

  /** Returns why a step cannot run again as it did before, or null. */
  const obstacle = (reading) => {
    if (!reading?.program) return 'It cannot be read.';
    const effects = effectsOf(reading.program.body);
    const surroundings = [...lost.keys()].find((name) => name.startsWith('('));
    if (surroundings !== undefined) return `It may use the ${surroundings.slice(1, -1)}, which is lost.`;
    // Meanwhile declared names are properties of the global object, which they were not.
    if (effects.usesGlobalMembers) return 'It uses properties of the global object.';
    // V8 leaves a function of a block alone if its name is declared by `let` or `const`, which it is not while the step runs again.
    const hidden = functionsInBlocks(reading.program).find(
      (name) => !['var', 'property', undefined].includes(bindings.get(name)),
    );
    if (hidden !== undefined) return `A block of it has a function with the name of the variable ${hidden}.`;
    const reach = reachOf(effects);
    if (reach === null) return lost.size > 0 ? 'It may use any name, and some are lost.' : null;
    const missing = [...reach.used].find((name) => lost.has(name));
    return missing === undefined ? null : `It uses ${missing}, which is lost.`;
  };

  const replay = async (step) => {
    const reading = readStep(step.code, { isBound: (name) => bindings.has(name) });
    const reason = obstacle(reading);
    if (reason !== null) return await stop(step, reason);
    const { topLevel } = reading;
    const kindOf = (name) =>
      topLevel.constantNames.has(name) ? 'const' : topLevel.lexicalNames.has(name) ? 'let' : 'var';
    const declared = declaredBy({ ...topLevel, importedNames: new Set() });
    for (const name of functionsInBlocks(reading.program)) declared.add(name);
    const wereLost = new Set(lost.has('*') ? declared : [...declared].filter((name) => lost.has(name)));
    // A name that is declared anew keeps its value until its initializer has one.
    for (const name of declared) bind(name, kindOf(name), bindings.has(name) ? names.get(name) : undefined);
    const { status } = await run(step.code, { declaresNothing: true });
    for (const name of [...declared, ...topLevel.importedNames]) known(name);
    // A step that fails may not have come to the declaration, and the value from before is not there any more.
    if (status !== 'succeeded')
      for (const name of wereLost) if (names.get(name) === undefined) lose(name, changedLater);
    for (const { specifiers, source } of topLevel.imports) {
      for (const { local } of specifiers) {
        bindings.set(local.name, 'import');
        modules.set(local.name, source.value);
      }
    }
    for (const [name, { binding }] of names.list()) {
      if (bindings.has(name)) continue;
      bindings.set(name, binding);
      known(name);
    }
    const isSame = (status === 'succeeded') === (step.status === 'succeeded');
    if (!isSame)
      await stop(
        step,
        status === 'succeeded' ? 'It succeeded, and failed before.' : 'It failed, and succeeded before.',
      );
  };
  /** The step counts as one that did not run again, and so do all after it. */
  const stop = async (step, reason) => {
    stopped = { stepId: step.stepId, reason };
    await goThrough(step);
  };

  await load();
  for (const step of readSteps(folder)) {
    if (step.replay && stopped === null) await replay(step);
    else await goThrough(step);
  }
  await declareAll();
  return {
    restored: firstNames([...restored]),
    replayed: firstNames([...replayed]),
    lost: firstReasons([...lost].map(([name, reason]) => ({ name, reason }))),
    stopped,
  };

  async function goThrough({ code, status }) {
    const reading = readStep(code, { isBound: (name) => bindings.has(name) });
    if (!reading?.program) return loseUnknown(unreadable);
    const { definitions, effects } = readEffects(reading, isPrimitive);
    if (status === 'succeeded') for (const definition of definitions) await define(definition);
    else {
      const whole = effectsOf(reading.program.body);
      const defined = new Set(definitions.flatMap(({ name, names: imported = [name] }) => imported));
      noteUnknown(defined, whole, reachOf({ ...noEffects, mentioned: whole.mentioned }));
      for (const name of defined) lose(name, changedLater);
    }
    applyEffects(effects);
  }

  /** Declares the names as they were before, so that they behave as those of steps. */
  async function declareAll() {
    const values = [];
    const declarations = [];
    for (const [name, binding] of bindings) {
      if (binding === 'import' || binding === 'property') continue;
      declarations.push(`${binding} ${name} = ${holderName}[${values.length}];`);
      values.push(names.get(name));
      names.remove(name);
    }
    names.set(holderName, values);
    await run(declarations.join('\n'));
    names.remove(holderName);
  }
}

/** The functions of blocks that sloppy code also sees at the top level. */
const functionsInBlocks = ({ body }) => body.flatMap((node) => [...blockFunctions(node)]);

function importSource(name, { specifier, attributes, imported }) {
  const clause = imported === '*' ? `* as ${name}` : `{ ${JSON.stringify(imported)} as ${name} }`;
  const suffix = attributes ? ` with ${JSON.stringify(attributes)}` : '';
  return `import ${clause} from ${JSON.stringify(specifier)}${suffix};`;
}

function readIfThere(path) {
  try {
    return readArchive(path);
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function readSteps(folder) {
  const lines = readFileSync(`${folder}/steps`, 'utf8').split('\n').filter(Boolean);
  return lines.map((line, index) => {
    const [stepId, status, replay] = line.split(' ');
    return { stepId, status, replay: replay === '1', code: readFileSync(`${folder}/code-${index + 1}`, 'utf8') };
  });
}
