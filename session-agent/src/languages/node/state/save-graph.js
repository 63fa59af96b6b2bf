import { performance } from 'node:perf_hooks';
import { types } from 'node:util';
import { Refusal } from './refusal.js';
import { createFunctionSaver } from './save-functions.js';
import { createObjectSaver } from './save-objects.js';

const now = performance.now.bind(performance);
const { ownKeys } = Reflect;
const { getOwnPropertyDescriptor, getPrototypeOf, isExtensible } = Object;
const wellKnown = new Map(
  Object.getOwnPropertyNames(Symbol)
    .filter((name) => typeof Symbol[name] === 'symbol')
    .map((name) => [Symbol[name], name]),
);

/**
 * `bindings` maps the names of the context to `{value}`.
 *
 * Describes values and all that they refer to as entities, which refer to one another by number, so that shared and cyclic references stay.
 * A value that cannot be described takes back all that was described for it, and throws a `Refusal`.
 */
export function createGraphSaver({ builtins, inspected, bindings, deadline, bytesMax }) {
  const entities = [];
  const blobs = [];
  const ids = new Map();
  const refused = new Map();
  let bytes = 0;
  let pending = [];

  const spend = (count) => {
    bytes += count;
    if (bytes > bytesMax) throw new Refusal('There is no room for it in the snapshot.');
  };

  const encode = (value) => {
    spend(4);
    switch (typeof value) {
      case 'string':
        spend(value.length);
        return value;
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : ['n', Object.is(value, -0) ? '-0' : `${value}`];
      case 'boolean':
        return value;
      case 'undefined':
        return ['u'];
      case 'bigint': {
        const text = `${value}`;
        spend(text.length);
        return ['b', text];
      }
      case 'symbol':
        return encodeSymbol(value);
      default:
        return value === null ? null : reference(value);
    }
  };

  const encodeSymbol = (symbol) => {
    if (wellKnown.has(symbol)) return ['w', wellKnown.get(symbol)];
    const key = Symbol.keyFor(symbol);
    if (key !== undefined) return ['y', key];
    if (!ids.has(symbol)) add(symbol, ['symbol', symbol.description ?? ['u']]);
    return [ids.get(symbol)];
  };

  const add = (value, entity) => {
    ids.set(value, entities.length);
    entities.push(entity);
    spend(16);
  };

  const reference = (value) => {
    if (ids.has(value)) return [ids.get(value)];
    if (refused.has(value)) throw new Refusal(refused.get(value));
    const path = types.isProxy(value) ? null : builtins.pathOf(value);
    if (path) add(value, ['builtin', ...path.map((step) => (typeof step === 'symbol' ? encodeSymbol(step) : step))]);
    else {
      add(value, null);
      pending.push(value);
    }
    return [ids.get(value)];
  };

  /** `[key, flags, value]` or `[key, flags, get, set]`. */
  const encodeProperty = (key, { value, get, set, writable, enumerable, configurable }) => {
    const flags = (enumerable ? 1 : 0) + (configurable ? 2 : 0);
    const encodedKey = typeof key === 'symbol' ? encodeSymbol(key) : encode(key);
    if (get || set) return [encodedKey, flags, encode(get), encode(set)];
    return [encodedKey, flags + (writable ? 4 : 0), encode(value)];
  };
  const propertiesOf = (value, isLeftOut = () => false) =>
    ownKeys(value)
      .filter((key) => !isLeftOut(key))
      .map((key) => encodeProperty(key, getOwnPropertyDescriptor(value, key)));

  /** The parts that all objects have. */
  const common = (value, isLeftOut) => [
    encode(getPrototypeOf(value)),
    propertiesOf(value, isLeftOut),
    isExtensible(value) ? 1 : 0,
  ];

  /** Gives a number to what has no reference of its own, or whose description is known. */
  const place = (key, describeIt) => {
    if (!ids.has(key)) {
      add(key, null);
      entities[ids.get(key)] = describeIt();
    }
    return ids.get(key);
  };
  const functions = createFunctionSaver({ inspected, encode, common, place, bindings });

  const describe = createObjectSaver({ builtins, inspected, functions, encode, encodeProperty, common, spend, blobs });

  return {
    entities,
    blobs,
    /** Describes a value with all that it refers to, or throws a Refusal. */
    save(value) {
      const before = { entities: entities.length, blobs: blobs.length, bytes };
      pending = [];
      try {
        const encoded = encode(value);
        for (let at = 0; at < pending.length; at++) {
          if (now() > deadline) throw new Refusal('The time for the snapshot was over.');
          describeAt(pending[at]);
        }
        return encoded;
      } catch (error) {
        entities.length = before.entities;
        blobs.length = before.blobs;
        bytes = before.bytes;
        for (const [key, id] of ids) if (id >= before.entities) ids.delete(key);
        throw error;
      }
    },
  };

  function describeAt(value) {
    try {
      entities[ids.get(value)] = describe(value);
    } catch (error) {
      if (error instanceof Refusal) refused.set(value, error.message);
      throw error;
    }
  }
}
