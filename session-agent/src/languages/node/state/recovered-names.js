import { firstNames, firstReasons } from './shorten-lists.js';

const holderName = '$recovered$';

/**
 * The names of a kernel that gets a state, and how each of them came back or why it did not. Meanwhile all of them are properties of the global
 * object, which can be removed; `declare` makes them what they were.
 *
 * - `bindings`: how each name is declared. `modules`: the modules of imported names.
 * - `lost`: the reasons by name, in which `*` stands for names that no code mentions.
 * - `unsaved`: the names of the snapshot that are not in it.
 */
export function createRecoveredNames({ names, boundNames, run }) {
  const bindings = new Map();
  const modules = new Map();
  const restored = new Set();
  const replayed = new Set();
  const lost = new Map();
  const unsaved = new Set();
  /** For each lost name, the effects that its value may have, as `affectedBy` needs them, or null if it may have any. */
  const unknown = new Map();

  const lose = (name, reason) => {
    names.remove(name);
    boundNames.mark(name, false);
    bindings.delete(name);
    restored.delete(name);
    replayed.delete(name);
    lost.set(name, reason);
    if (!unknown.has(name)) unknown.set(name, null);
  };

  return {
    bindings,
    modules,
    lost,
    unsaved,
    lose,
    valueOf: (name) => names.get(name),
    bind(name, binding, value) {
      names.set(name, value);
      boundNames.mark(name, binding === 'const');
      bindings.set(name, binding);
    },
    /** An import statement has bound it. */
    bindImport(name, specifier) {
      bindings.set(name, 'import');
      modules.set(name, specifier);
    },
    /** It has the value of the snapshot. */
    noteRestored: (name) => restored.add(name),
    /** It has the value of code that ran again. */
    noteReplayed(name) {
      lost.delete(name);
      unsaved.delete(name);
      unknown.delete(name);
      restored.delete(name);
      replayed.add(name);
    },
    noteUnsaved(name, reason) {
      lost.set(name, reason);
      unsaved.add(name);
    },
    /** Notes what the value of a name may do that is lost. */
    noteUnknown: (name, effects) => unknown.set(name, effects),
    /** Returns the effects that the value of a lost name may have, null if it may have any, and undefined for a known name. */
    unknownOf(name) {
      if (unknown.has(name)) return unknown.get(name);
      return lost.has('*') && !bindings.has(name) && !names.has(name) ? null : undefined;
    },
    /** Loses what there is, and `bound`, which a step has bound. */
    loseAll(reason, bound = []) {
      for (const name of [...bindings.keys(), ...bound]) {
        unknown.set(name, null);
        lose(name, reason);
      }
    },
    /** The names that are there and that nothing has bound here, as code that ran again may have set properties of the global object. */
    unlisted: () => [...names.list()].filter(([name]) => !bindings.has(name)),
    importedName: (name) => names.list().get(name)?.source?.imported,
    /** The value that an expression of a step has as a member of this name, which functions and classes take for their own. */
    async memberValue(name, source) {
      const holder = {};
      names.set(holderName, holder);
      const { status } = await run(`${holderName}.value = { ${name}: ${source}\n}`);
      names.remove(holderName);
      return { isDefined: status === 'succeeded', value: holder.value?.[name] };
    },
    /** Declares the names as they were before, so that they behave as those of steps. */
    async declare() {
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
    },
    report: () => ({
      restored: firstNames([...restored]),
      replayed: firstNames([...replayed]),
      lost: firstReasons([...lost].map(([name, reason]) => ({ name, reason }))),
    }),
  };
}
