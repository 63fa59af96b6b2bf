import { readFileSync } from 'node:fs';
import { readStep } from '../read/read-step.js';
import { readArchive } from './archive.js';
import { readEffects } from './effects.js';
import { loadGraph } from './load-graph.js';
import { affectedBy } from './reach.js';
import { restoreSurroundings } from './surroundings.js';

const changedLater = 'A step after the snapshot may have changed it.';
const unreadable = 'A step after the snapshot cannot be read.';

/**
 * Gives a new kernel the state of a snapshot and of the steps after it. While it works, all names are properties of the global object, which can
 * be removed; at the end they are declared as they were.
 */
export async function recover({ names, builtins, inspected, run, evaluated, lexicalNames }, folder) {
  const bindings = new Map();
  const restored = new Set();
  const replayed = new Set();
  const lost = new Map();
  let stopped = null;

  const lose = (name, reason) => {
    names.remove(name);
    bindings.delete(name);
    restored.delete(name);
    replayed.delete(name);
    lost.set(name, reason);
  };
  const bind = (name, binding, value) => {
    names.set(name, value);
    bindings.set(name, binding);
  };
  const known = (name) => {
    lost.delete(name);
    restored.delete(name);
    replayed.add(name);
  };
  const loseAll = (reason) => {
    for (const name of [...bindings.keys(), ...lexicalNames()]) lose(name, reason);
  };

  const importNames = async (source, list, note) => {
    const { status } = await run(source);
    for (const name of list) {
      if (status !== 'succeeded') lose(name, 'Its import failed.');
      else {
        bindings.set(name, 'import');
        note(name);
      }
    }
  };

  const load = async () => {
    const archive = readIfThere(`${folder}/archive`);
    if (archive === null) return;
    const { head, blobs, manifest } = archive;
    for (const { name, reason } of manifest.notSaved) lost.set(name, reason);
    restoreSurroundings(head.surroundings);
    builtins.look();
    const decode = loadGraph({ entities: head.entities, blobs, builtins });
    for (const [name, binding, content] of head.bindings) {
      if (binding === 'import') await importNames(importSource(name, content), [name], (name) => restored.add(name));
      else {
        bind(name, binding, decode(content));
        restored.add(name);
      }
    }
  };

  const define = async ({ name, binding, source, imports, names: imported, needs, isNamed }) => {
    if (imports) return await importNames(imports, imported, known);
    if (needs !== undefined && !bindings.has(needs)) return lose(name, `${needs} does not exist.`);
    try {
      const value = evaluated(isNamed ? `{ const ${name} = ${source}; ${name} }` : `(${source}\n)`);
      bind(name, binding, value);
      known(name);
    } catch {
      lose(name, 'Its definition failed.');
    }
  };

  const applyEffects = (effects) => {
    const values = new Map();
    for (const [name, binding] of bindings) if (binding !== 'import') values.set(name, names.get(name));
    const affected = affectedBy(effects, { values, builtins, inspected });
    if (affected === null) return loseAll(changedLater);
    for (const name of affected) lose(name, changedLater);
  };

  const replay = async (step) => {
    const { status } = await run(step.code);
    const isSame = (status === 'succeeded') === (step.status === 'succeeded');
    for (const name of lexicalNames()) {
      names.remove(name);
      bindings.set(name, 'declared');
      known(name);
    }
    for (const [name, { binding }] of names.list()) {
      if (bindings.has(name)) continue;
      bindings.set(name, binding === 'import' ? 'import' : binding);
      known(name);
    }
    if (!isSame) stopped = { stepId: step.stepId, reason: status === 'succeeded' ? 'It succeeded, and failed before.' : 'It failed, and succeeded before.' };
  };

  await load();
  for (const step of readSteps(folder)) {
    if (step.replay && stopped === null) await replay(step);
    else await goThrough(step);
  }
  await declareAll();
  return {
    restored: [...restored],
    replayed: [...replayed],
    lost: [...lost].map(([name, reason]) => ({ name, reason })),
    stopped,
  };

  async function goThrough({ code, status }) {
    const reading = readStep(code, { isBound: (name) => bindings.has(name) });
    if (!reading?.program) return loseAll(unreadable);
    const { definitions, effects } = readEffects(reading);
    if (status === 'succeeded') for (const definition of definitions) await define(definition);
    else {
      for (const { name, names: imported = [name] } of definitions) for (const each of imported) lose(each, changedLater);
    }
    applyEffects(effects);
  }

  /** Declares the names as they were before, so that they behave as those of steps. */
  async function declareAll() {
    const values = [];
    const declarations = [];
    for (const [name, binding] of bindings) {
      if (binding === 'import' || binding === 'property' || binding === 'declared') continue;
      declarations.push(`${binding} ${name} = $recovered$[${values.length}];`);
      values.push(names.get(name));
      names.remove(name);
    }
    names.set('$recovered$', values);
    await run(declarations.join('\n'));
    names.remove('$recovered$');
  }
}

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
