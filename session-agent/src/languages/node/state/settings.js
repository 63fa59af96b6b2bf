import process from 'node:process';
import { getOwnPropertyDescriptor, ownKeys, ownList } from '../realm/users-realm.js';

const { getBuiltinModule, moduleLoadList } = process;
const { apply } = Reflect;
const unlimited = Number.POSITIVE_INFINITY;
const agentKeys = ['maxSockets', 'maxTotalSockets', 'maxFreeSockets', 'keepAlive', 'keepAliveMsecs', 'scheduling'];

/** Settings that Node keeps to itself: the module, a getter or a function without arguments that shows one, its value in a new process, and its name. */
const settings = [
  ['process', 'exitCode', undefined],
  ['buffer', 'INSPECT_MAX_BYTES', 50],
  ['events', 'captureRejections', false],
  ['events', 'defaultMaxListeners', 10],
  ['crypto', 'fips', 0],
  ['dns', 'getDefaultResultOrder', 'verbatim', '(dns settings)'],
  ['net', 'getDefaultAutoSelectFamily', true, '(network settings)'],
  ['http', 'globalAgent', shownAgent(unlimited, unlimited, 256, true, 1000, 'lifo')],
];

/** Notices changes of settings that no property has, and the listeners of steps on `process`. It runs no code of steps. */
export function createSettings({ inspected }) {
  const readers = new Map();
  const { inspect } = getBuiltinModule('util');
  const optionsGetter = getOwnPropertyDescriptor(inspect, 'defaultOptions').get;
  const shownOptions = () => [apply(optionsGetter, inspect, []), inspect.styles].map(shownData).join();
  const firstOptions = shownOptions();
  const firstListeners = new Set(listenersOf(process).map(([, listener]) => listener));
  /** Steps could replace what shows a setting, so each is taken when its module is first seen. */
  const look = () => {
    for (const [name, key] of settings) {
      const id = `${name}.${key}`;
      if (readers.has(id) || !isLoaded(name)) continue;
      const owner = getBuiltinModule(name);
      const { get, value } = getOwnPropertyDescriptor(owner, key) ?? {};
      const reader = get ?? value;
      if (typeof reader === 'function' && !inspected.isOfSteps(reader)) readers.set(id, () => apply(reader, owner, []));
    }
  };
  look();

  return {
    /** The changed ones as code would name them. */
    changed() {
      look();
      const found = settings
        .filter(
          ([name, key, first]) => readers.has(`${name}.${key}`) && shown(readers.get(`${name}.${key}`)()) !== first,
        )
        .map(([name, key, , shownAs = `${name}.${key}`]) => shownAs);
      if (shownOptions() !== firstOptions) found.push('util.inspect');
      const events = listenersOf(process)
        .filter(([, listener]) => !firstListeners.has(listener) && inspected.isOfSteps(listener))
        .map(([event]) => `process.on(${String(event)})`);
      return [...found, ...new Set(events)];
    },
  };
}

const isLoaded = (name) => name === 'process' || ownList(moduleLoadList).includes(`NativeModule ${name}`);

function shown(value) {
  return typeof value === 'object' && value !== null
    ? shownAgent(...agentKeys.map((key) => getOwnPropertyDescriptor(value, key)?.value))
    : value;
}

function shownAgent(...values) {
  return values.map(String).join();
}

function shownData(object) {
  return ownList(ownKeys(object))
    .map((key) => `${String(key)}: ${String(getOwnPropertyDescriptor(object, key).value)}`)
    .join();
}

/** The listeners of an emitter by event, as code has added them. Those of `once` are wrapped. */
function listenersOf(emitter) {
  const events = getOwnPropertyDescriptor(emitter, '_events')?.value ?? {};
  return ownList(ownKeys(events)).flatMap((event) => {
    const { value } = getOwnPropertyDescriptor(events, event);
    const all = typeof value === 'function' ? [value] : ownList(value ?? []);
    return all.map((listener) => [event, getOwnPropertyDescriptor(listener, 'listener')?.value ?? listener]);
  });
}
