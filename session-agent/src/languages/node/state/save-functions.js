import { scopeMark } from '../rewrite/mark-scopes.js';
import { readClass } from './class-text.js';
import { readFunction } from './function-text.js';
import { Refusal } from './refusal.js';

const { apply } = Reflect;
const { getOwnPropertyDescriptor } = Object;
const { toString: functionText } = Function.prototype;
const hiddenVariables = new Set(['this', 'arguments', 'new.target']);

/** Describes functions and classes as their source, with the variables around them. */
export function createFunctionSaver({ inspected, encode, common, place, bindings }) {
  const scopeOf = ({ variables }, parent) => {
    const mark = variables.get(scopeMark);
    const key = mark ?? {};
    return place(key, () => {
      const listed = [...variables].filter(([name]) => name !== scopeMark && !name.startsWith('.'));
      for (const [name] of listed)
        if (hiddenVariables.has(name)) throw new Refusal('It uses a variable of its surroundings.');
      return ['scope', parent, mark ? 1 : 0, listed.map(([name, value]) => [name, encode(value)])];
    });
  };

  /** Returns the number of the innermost scope, or null. */
  const chainOf = (scopes, written) => {
    for (const { type } of scopes)
      if (type !== 'Block' && type !== 'Closure' && type !== 'Catch' && type !== 'Local')
        throw new Refusal('It uses variables of a module.');
    for (const name of written) {
      const declaring = scopes.find(({ variables }) => variables.has(name));
      if (declaring && !declaring.variables.has(scopeMark))
        throw new Refusal(`It changes ${name}, a variable that other functions may share.`);
    }
    let parent = null;
    for (const scope of [...scopes].reverse()) if (scope.variables.size > 0) parent = scopeOf(scope, parent);
    return parent;
  };

  const readText = (value) => {
    const text = apply(functionText, value, []);
    if (/\{\s*\[native code\]\s*\}$/.test(text)) throw new Refusal('It is a function of Node itself, or a bound one.');
    const reading = readFunction(text);
    if (reading === null) throw new Refusal('Its source cannot be read.');
    return { text, reading };
  };

  return {
    describe(value) {
      const { text, reading } = readText(value);
      const scopes = inspected.scopesOf(value) ?? [];
      if (scopes.length > 0 && !inspected.isOfSteps(value)) throw new Refusal('It is a function of a module.');
      const isClass = reading.node.type === 'ClassExpression';
      if (isClass) return describeClass(value, { text, reading, scopes });
      // The inspector shows no scope for `this` of a class's field, so an arrow function of a field looks like one of the top level.
      if (reading.usesSurroundings) throw new Refusal('It uses `this` or `super` of its surroundings.');
      if (scopes.length > 0 && reading.names.has('eval')) throw new Refusal('It calls eval.');
      const { text: evaluated, written } = asDeclared(value, { text, reading, scopes });
      return ['function', evaluated, reading.part, chainOf(scopes, written), ...common(value)];
    },
  };

  /** Tells whether the name that a function mentions is its own or that of the variable which a declaration makes. */
  function asDeclared(value, { text, reading, scopes }) {
    const { anonymous, node, written } = reading;
    if (anonymous === null) return { text, written };
    const { name } = node.id;
    if (scopes.some(({ variables }) => variables.has(name))) return anonymous;
    const bound = bindings.get(name);
    if (bound === undefined) return { text, written };
    if (bound.value !== value) throw new Refusal(`It mentions ${name}, which means something else by now.`);
    return anonymous;
  }

  function describeClass(value, { text, reading, scopes }) {
    const members = readClass(text, reading);
    const own = scopes[0]?.variables;
    const name = reading.node.id?.name;
    const isOwnScope = own?.size === 1 && own.has(name) && own.get(name) === value;
    const around = isOwnScope ? scopes.slice(1) : scopes;
    const prototype = getOwnPropertyDescriptor(value, 'prototype').value;
    if (getOwnPropertyDescriptor(prototype, 'constructor')?.value !== value)
      throw new Refusal('Its prototype does not lead to it.');
    const self = encode(value);
    for (const { isStatic, key, part, text: written } of members) {
      const member = getOwnPropertyDescriptor(isStatic ? value : prototype, key)?.[part];
      if (typeof member !== 'function' || apply(functionText, member, []) !== written) continue;
      place(member, () => ['member', self[0], isStatic ? 1 : 0, typeof key === 'symbol' ? encode(key) : key, part]);
    }
    return ['class', text, chainOf(around, reading.written), ...common(value)];
  }
}
