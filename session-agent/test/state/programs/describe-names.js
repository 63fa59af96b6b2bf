/**
 * Describes these names in a form in which equal states are equal texts. Objects have numbers, by which names that share them are found. The
 * variables around a closure show only if it is called. That changes them, so it is for the very end, in the order of the names.
 */
(names, { calls }) => {
  const numbers = new Map();
  let seen;
  let objects;
  const native = (value) =>
    typeof value === 'function' && Function.prototype.toString.call(value).includes('[native code]');
  const isOwnPrototype = (value) =>
    Object.hasOwn(value, 'constructor') && native(value.constructor) && value.constructor.prototype === value;
  /** The text without what a recovery changes: values of static members, what a class extends, and the marks of constants. */
  const textOf = (value) =>
    Function.prototype.toString
      .call(value)
      .replace(/\$constant\$\(\(\) => (\w+)\)\.value/g, '$1')
      .replace(/extends (\(0, \$heritage\$\)|\$heritage\$\[\d+\]|\w+)/g, 'extends it')
      .replace(/static (\w+ = (\w|-)+|\{[^}]*\});?/g, '')
      .replace(/^(async )?function(\*?)\s*\w*/, '$1function$2')
      .replace(/[;\s]+/g, '');
  const members = (value) =>
    Reflect.ownKeys(value)
      .filter((key) => !(typeof value === 'function' && (key === 'name' || key === 'length')) && key !== 'stack')
      .map((key) => {
        const found = Object.getOwnPropertyDescriptor(value, key);
        const flags = (found.writable ? 'w' : '') + (found.enumerable ? 'e' : '') + (found.configurable ? 'c' : '');
        return `${String(key)} ${flags}: ${'value' in found ? part(found.value) : part(found.get) + part(found.set)}`;
      })
      .join(', ');
  const part = (value) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
      return Object.is(value, -0) ? '-0' : `${typeof value} ${String(value)}`;
    if (native(value) || isOwnPrototype(value)) return `native ${value.name ?? value.constructor.name}`;
    if (seen.has(value)) return `#${seen.get(value)}`;
    seen.set(value, seen.size);
    if (!numbers.has(value)) numbers.set(value, numbers.size);
    objects.push(numbers.get(value));
    const prototype = `<${part(Object.getPrototypeOf(value))}>${Object.isFrozen(value) ? ' frozen' : ''}`;
    if (typeof value === 'function')
      return `function ${value.name} ${value.length} ${textOf(value)} ${prototype} {${members(value)}}`;
    return `${Object.prototype.toString.call(value)} ${contents(value)} ${prototype} {${members(value)}}`;
  };
  const contents = (value) => {
    if (value instanceof Map) return [...value].map(([key, item]) => `${part(key)} => ${part(item)}`).join(', ');
    if (value instanceof Set) return [...value].map(part).join(', ');
    return value instanceof Date || value instanceof RegExp || value instanceof Number ? String(value) : '';
  };
  const read = (name) => {
    try {
      // biome-ignore lint/security/noGlobalEval: only code sees the names that steps declare.
      return [globalThis.eval(name)];
    } catch {
      return null;
    }
  };
  const values = names.map((name) => [name, read(name)]).filter(([, value]) => value !== null);
  const described = {};
  for (const [name, [value]] of values) {
    seen = new Map();
    objects = [];
    described[name] = { shown: part(value), objects };
  }
  for (const [name, [value]] of calls ? values : []) {
    const called = name.startsWith('c')
      ? [value]
      : name.startsWith('p')
        ? [value?.put?.bind(value), value?.get?.bind(value), value?.add, value?.read]
        : [];
    for (const one of called.filter((found) => typeof found === 'function')) {
      try {
        described[name].shown += ` => ${one(1)}`;
      } catch (error) {
        described[name].shown += ` => ${error}`;
      }
    }
  }
  return JSON.stringify(described);
};
