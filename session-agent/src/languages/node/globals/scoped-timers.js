import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { promisify } from 'node:util';

const { apply } = Reflect;

/** Replaces Node's timers, in the globals and in both modules, by timers that belong to the step that makes them. */
export function scopeTimers(scopes) {
  scopePromises(scopes);
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
    const scoped = named(name, adding(scopes, timers[name]));
    if (name !== 'setInterval') Object.defineProperty(scoped, promisify.custom, { value: promises[name] });
    timers[name] = scoped;
    globalThis[name] = scoped;
  }
  syncBuiltinESMExports();
}

function adding(scopes, make) {
  return (...args) => {
    const timer = apply(make, undefined, args);
    scopes.add(timer);
    return timer;
  };
}

/** Replaces the timers of `node:timers/promises`. Clearing one would reject its promise, so an abandoned step's promise never settles. */
function scopePromises(scopes) {
  const { setTimeout, setImmediate, setInterval, scheduler } = promises;
  const wait = scheduler.wait.bind(scheduler);
  const yieldNow = scheduler.yield.bind(scheduler);
  promises.setTimeout = named('setTimeout', gated(scopes, setTimeout));
  promises.setImmediate = named('setImmediate', gated(scopes, setImmediate));
  scheduler.wait = named('wait', gated(scopes, wait));
  scheduler.yield = named('yield', gated(scopes, yieldNow));
  promises.setInterval = named('setInterval', (...args) => ticks(scopes.current(), setInterval(...args)));
}

function named(name, scoped) {
  return Object.defineProperty(scoped, 'name', { value: name });
}

function gated(scopes, make) {
  return (...args) => {
    const scope = scopes.current();
    const promise = apply(make, undefined, args);
    if (!scope) return promise;
    return new Promise((resolve, reject) => {
      const unlessAbandoned = (settle) => (value) => {
        if (!scope.isAbandoned) settle(value);
      };
      promise.then(unlessAbandoned(resolve), unlessAbandoned(reject));
    });
  };
}

async function* ticks(scope, interval) {
  for await (const value of interval) {
    if (scope?.isAbandoned) break;
    yield value;
  }
  if (scope?.isAbandoned) await new Promise(() => {});
}
