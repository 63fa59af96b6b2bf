/** Remembers the sources of imported names, to import them again. */
export function createImported() {
  const ofGetter = new WeakMap();
  const live = new Map();
  return {
    note({ get, local, isTaken, specifier, attributes, imported }) {
      const source = { specifier, attributes, imported };
      if (isTaken) live.set(local, source);
      else ofGetter.set(get, source);
    },
    get: (getter) => ofGetter.get(getter),
    live,
  };
}
