import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readStep } from '../read/read-step.js';
import { createApplyEffects } from './apply-effects.js';
import { readArchive } from './archive.js';
import { readEffects } from './definitions.js';
import { effectsOf } from './effects.js';
import { loadGraph } from './load-graph.js';
import { isLoadedWay } from './loaded-modules.js';
import { createRecoveredNames } from './recovered-names.js';
import { replayStep } from './replay-step.js';
import { restoreSurroundings } from './surroundings.js';

const unreadable = 'A step after the snapshot cannot be read.';

/** Gives a new kernel the state of a snapshot and of the steps after it. Returns the report. */
export async function recover({ names, builtins, modules, inspected, boundNames, run }, folder) {
  const recovered = createRecoveredNames({ names, boundNames, run });
  const effects = createApplyEffects({ recovered, builtins, inspected });
  const parts = { recovered, effects, builtins, modules, run };
  const archive = readIfThere(`${folder}/archive`);
  if (archive !== null) await load(parts, archive);
  let stopped = null;
  for (const step of readSteps(folder)) {
    if (step.replay && stopped === null) {
      const reason = await replayWithCalls(parts, step, folder);
      if (reason === null) continue;
      // It counts as one that did not run again, and so do all after it.
      stopped = { stepId: step.stepId, reason };
    }
    await goThrough(parts, step);
  }
  await recovered.declare();
  return { ...recovered.report(), stopped };
}

/** The session-agent answers the calls of the step as they were answered before, or says in a file why it cannot. */
async function replayWithCalls(parts, step, folder) {
  writeFileSync(`${folder}/running`, step.stepId);
  const reason = await replayStep(parts, step);
  rmSync(`${folder}/running`, { force: true });
  const refused = `${folder}/refused`;
  return existsSync(refused) ? readFileSync(refused, 'utf8') : reason;
}

async function load({ recovered, builtins, modules, run }, { head, blobs, manifest }) {
  for (const { name, reason } of manifest.notSaved) recovered.noteUnsaved(name, reason);
  for (const [name, reason] of restoreSurroundings(head.surroundings)) recovered.lost.set(name, reason);
  const ways = head.entities.filter(([kind]) => kind === 'builtin').map(([, ...way]) => way);
  await modules.load(ways.filter(isLoadedWay));
  builtins.look();
  const decode = loadGraph({ entities: head.entities, blobs, builtins });
  for (const [name, binding, content] of head.bindings) {
    if (binding === 'import') {
      const { specifier } = content;
      const note = recovered.noteRestored;
      await importNames({ recovered, run }, { source: importSource(name, content), specifier, list: [name], note });
    } else {
      bindRestored(recovered, { name, binding, value: () => decode(content) });
    }
  }
}

function bindRestored(recovered, { name, binding, value }) {
  try {
    recovered.bind(name, binding, value());
    recovered.noteRestored(name);
  } catch (error) {
    recovered.noteUnsaved(name, `It could not be made again: ${error.message}`.slice(0, 500));
  }
}

async function importNames({ recovered, run }, { source, specifier, list, note }) {
  const { status } = await run(source);
  for (const name of list) {
    if (status !== 'succeeded') {
      recovered.modules.set(name, specifier);
      recovered.lose(name, 'Its import failed.');
    } else {
      recovered.bindImport(name, specifier);
      note(name);
    }
  }
}

/** Runs the definitions of a step again, and loses what the rest of it may have changed. */
async function goThrough({ recovered, effects: applied, run }, { code, status }) {
  const reading = readStep(code, { isBound: (name) => recovered.bindings.has(name) });
  if (!reading?.program) return applied.loseUnknown(unreadable);
  const { definitions, effects } = readEffects(reading, (name) => isPrimitive(recovered, name));
  if (status === 'succeeded') for (const definition of definitions) await define({ recovered, run }, definition);
  else {
    const defined = new Set(definitions.flatMap(({ name, names: imported = [name] }) => imported));
    applied.loseDefined(defined, effectsOf(reading.program.body));
  }
  applied.apply(effects);
}

function isPrimitive(recovered, name) {
  const binding = recovered.bindings.get(name);
  if (binding === undefined || binding === 'import') return false;
  const value = recovered.valueOf(name);
  return value === null || !/^(object|function)$/.test(typeof value);
}

async function define({ recovered, run }, { name, binding, source, imports, names: list, specifier, needs }) {
  const note = recovered.noteReplayed;
  if (imports) return await importNames({ recovered, run }, { source: imports, specifier, list, note });
  const { bindings } = recovered;
  if (needs !== undefined && !bindings.has(needs)) return recovered.lose(name, `${needs} does not exist.`);
  const { isDefined, value } = await recovered.memberValue(name, source);
  if (!isDefined) return recovered.lose(name, 'Its definition failed.');
  recovered.bind(name, binding ?? bindings.get(name) ?? 'property', value);
  note(name);
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
