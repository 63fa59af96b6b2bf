import { inspect, types } from 'node:util';
import { scanTopLevel } from './scan-top-level.js';

const symbolsMax = 10_000;
const previewOptions = {
  depth: 1,
  maxArrayLength: 5,
  maxStringLength: 80,
  breakLength: Infinity,
  customInspect: false,
  showProxy: true,
  getters: false,
};

/** The names that steps have defined: top-level declarations, and properties that the global object did not have. */
export function createSymbols(evaluator) {
  const inherited = new Set(Object.getOwnPropertyNames(globalThis));
  const boundBy = new Map();
  let unread = [];

  return {
    /** Keeps the step until somebody asks: most steps are never asked about. */
    note({ stepId, code }) {
      unread.push({ stepId, code });
    },
    describe() {
      for (const { stepId, code } of unread) for (const name of boundNames(code)) boundBy.set(name, stepId);
      unread = [];
      const values = evaluator.lexicalValues();
      for (const name of Object.getOwnPropertyNames(globalThis)) {
        const property = inherited.has(name) ? null : Object.getOwnPropertyDescriptor(globalThis, name);
        if (property && 'value' in property) values.set(name, property.value);
      }
      return [...values]
        .filter(([name]) => name.length <= 512)
        .slice(0, symbolsMax)
        .map(([name, value]) => ({ name, ...describe(value), stepId: boundBy.get(name) ?? null }));
    },
  };
}

/** Words of a step that may bind a name: those that are declared or assigned at its top level. Too many do no harm. */
function* boundNames(code) {
  for (const [, inPattern] of code.matchAll(/(?:let|const|var|import)\s*[\w$,\s]*[{[]([^=]*)[}\]]/g)) {
    yield* inPattern.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? [];
  }
  for (const token of scanTopLevel(code)) if (token.isWord) yield token.text;
}

function describe(value) {
  return { kind: kindOf(value), type: typeOf(value), preview: preview(value), size: sizeOf(value) };
}

function kindOf(value) {
  if (types.isModuleNamespaceObject(value)) return 'module';
  if (typeof value !== 'function') return 'variable';
  return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
}

function typeOf(value) {
  if (value === null || typeof value !== 'object' || types.isProxy(value))
    return value === null ? 'null' : typeof value;
  const prototype = Object.getPrototypeOf(value);
  const maker = prototype && Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  const name = typeof maker === 'function' && Object.getOwnPropertyDescriptor(maker, 'name')?.value;
  return typeof name === 'string' && name !== '' ? name.slice(0, 512) : 'object';
}

function preview(value) {
  try {
    return inspect(value, previewOptions).slice(0, 200).toWellFormed();
  } catch {
    return '<no preview>';
  }
}

function sizeOf(value) {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (types.isTypedArray(value)) return value.length;
  return types.isMap(value) || types.isSet(value) ? value.size : null;
}
