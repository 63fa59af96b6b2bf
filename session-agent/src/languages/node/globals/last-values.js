/** Provides `_` and `_error` as in Node's REPL: the last value and the last error of a step, until code assigns something else. */
export function provideLastValues() {
  return { setValue: provide('_'), setError: provide('_error') };
}

function provide(name) {
  let last;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: false,
    get: () => last,
    set: (value) => Object.defineProperty(globalThis, name, { value, writable: true, enumerable: true }),
  });
  return (value) => {
    last = value;
  };
}
