import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { kindOf } from '../editor/describe-value.js';
import { archiveParts } from './archive.js';
import { Refusal } from './refusal.js';
import { createGraphSaver } from './save-graph.js';
import { firstNames, firstReasons } from './shorten-lists.js';
import { changesOf } from './surroundings.js';

const now = performance.now.bind(performance);
const reserveBytes = 65_536;

/**
 * Saves every name by itself. Returns the parts of the archive. Runs none of the user's code. `isBusy` tells that timers or open handles may
 * change values at any time: a recovery could bring back what has changed since, and a fork begins with the values of this moment.
 */
export function takeSnapshot(
  { names, builtins, provided, settings, inspected, surroundings, isBusy },
  { bytesMax, timeoutMs, isFork },
) {
  const deadline = now() + timeoutMs / 2;
  builtins.look();
  const listed = names.list();
  const saver = createGraphSaver({
    builtins,
    inspected,
    bindings: listed,
    deadline,
    bytesMax: bytesMax - reserveBytes,
  });
  const saved = [];
  const notSaved = [...builtins.changed(), ...provided.changed(), ...settings.changed()].map((name) => ({
    name,
    reason: 'A change of what Node provides is not saved.',
  }));
  const bindings = [];
  for (const [name, { binding, value, source, property }] of listed) {
    try {
      if (name.length > 512) throw new Refusal('Its name is too long.');
      if (binding === 'accessor') throw new Refusal('It is an accessor of the global object.');
      if (isBusy && !isFork && mayChange(binding, value))
        throw new Refusal('A timer or an open connection may change it at any time.');
      if (binding === 'import') bindings.push([name, binding, source]);
      else {
        if (property && !property.writable) throw new Refusal('It is a global property that cannot be changed.');
        bindings.push([name, binding, saver.save(value)]);
      }
      saved.push({ name, kind: binding === 'import' ? 'import' : savedKind(value) });
    } catch (error) {
      const reason = error instanceof Refusal ? error.message : `It cannot be described: ${error.message}`;
      notSaved.push({ name: name.slice(0, 512), reason: reason.slice(0, 500) });
    }
  }
  if (isBusy && isFork) notSaved.push({ name: '(timers and connections)', reason: 'They stay where they are.' });
  inspected.release();
  const interpreter = `Node ${process.versions.node}`;
  const lists = { saved: firstNames(saved), notSaved: firstReasons(notSaved) };
  const manifest = { format: 1, language: 'node', interpreter, ...lists };
  const head = { bindings, entities: saver.entities, surroundings: changesOf(surroundings) };
  return archiveParts(head, saver.blobs, manifest);
}

function savedKind(value) {
  const kind = kindOf(value);
  return kind === 'module' ? 'import' : kind;
}

/** Functions stay as they are, and so do constants with primitive values. */
function mayChange(binding, value) {
  if (binding === 'import' || typeof value === 'function') return false;
  return binding !== 'const' || (typeof value === 'object' && value !== null);
}
