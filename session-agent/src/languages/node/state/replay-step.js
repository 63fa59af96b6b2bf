import { readStep } from '../read/read-step.js';
import { blockFunctions } from '../rewrite/declared-names.js';
import { declaredBy } from '../rewrite/top-level.js';
import { changedLater } from './apply-effects.js';
import { effectsOf } from './effects.js';

/** Runs a step again as a whole. Returns why it could not run as it did before, or null. */
export async function replayStep({ recovered, effects, run }, { code, status: statusBefore }) {
  const { bindings, lost } = recovered;
  const reading = readStep(code, { isBound: (name) => bindings.has(name) });
  const obstacle = obstacleOf({ recovered, effects }, reading);
  if (obstacle !== null) return obstacle;
  const declared = declaredIn(reading);
  const wereLost = new Set(lost.has('*') ? declared.keys() : [...declared.keys()].filter((name) => lost.has(name)));
  // A name that is declared anew keeps its value until its initializer has one.
  for (const [name, kind] of declared)
    recovered.bind(name, kind, bindings.has(name) ? recovered.valueOf(name) : undefined);
  const { status } = await run(code, { declaresNothing: true });
  const { topLevel } = reading;
  for (const name of [...declared.keys(), ...topLevel.importedNames]) recovered.noteReplayed(name);
  // A step that fails may not have come to the declaration, and the value from before is not there any more.
  if (status !== 'succeeded')
    for (const name of wereLost) if (recovered.valueOf(name) === undefined) recovered.lose(name, changedLater);
  for (const { specifiers, source } of topLevel.imports) {
    for (const { local } of specifiers) recovered.bindImport(local.name, source.value);
  }
  for (const [name, { binding }] of recovered.unlisted()) {
    bindings.set(name, binding);
    recovered.noteReplayed(name);
  }
  if ((status === 'succeeded') === (statusBefore === 'succeeded')) return null;
  return status === 'succeeded' ? 'It succeeded, and failed before.' : 'It failed, and succeeded before.';
}

function obstacleOf({ recovered: { bindings, lost }, effects: { reachOf } }, reading) {
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
}

/** The names that a step declares, and how. Imports are not among them. */
function declaredIn({ program, topLevel }) {
  const { constantNames, lexicalNames } = topLevel;
  const kindOf = (name) => (constantNames.has(name) ? 'const' : lexicalNames.has(name) ? 'let' : 'var');
  const names = new Set([...declaredBy({ ...topLevel, importedNames: new Set() }), ...functionsInBlocks(program)]);
  return new Map([...names].map((name) => [name, kindOf(name)]));
}

/** The functions of blocks that sloppy code also sees at the top level. */
const functionsInBlocks = ({ body }) => body.flatMap((node) => [...blockFunctions(node)]);
