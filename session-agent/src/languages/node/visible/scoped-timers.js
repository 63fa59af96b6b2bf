import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { promisify } from 'node:util';

const { apply } = Reflect;

/** Puts timers in place of Node's that belong to the step which makes them, in the globals and in both modules. */
export function scopeTimers(scopes) {
  scopePromises(scopes);
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
    const scoped = named(name, keeping(scopes, timers[name]));
    if (name !== 'setInterval') Object.defineProperty(scoped, promisify.custom, { value: promises[name] });
    timers[name] = scoped;
    globalThis[name] = scoped;
  }
  syncBuiltinESMExports();
}

function keeping(scopes, make) {
  return (...args) => {
    const timer = apply(make, undefined, args);
    scopes.keep(timer);
    return timer;
  };
}

/** These cannot be cleared without a rejection, which the step's code could see: its `await` does not return instead. */
function scopePromises(scopes) {
  const { setTimeout, setImmediate, setInterval, scheduler } = promises;
  const wait = scheduler.wait.bind(scheduler);
  const yieldTurn = scheduler.yield.bind(scheduler);
  promises.setTimeout = named('setTimeout', gated(scopes, setTimeout));
  promises.setImmediate = named('setImmediate', gated(scopes, setImmediate));
  scheduler.wait = named('wait', gated(scopes, wait));
  scheduler.yield = named('yield', gated(scopes, yieldTurn));
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
