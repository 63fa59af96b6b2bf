import { apply, getOwnPropertyDescriptor, offeredNames, ownKeys, ownList, users } from '../realm/users-realm.js';
import { boundNamesOf } from './bound-names-of.js';
import { describeValue } from './describe-value.js';

const symbolsMax = 10_000;
/** At most six bytes of JSON for each, which leaves room in a message of 16 MiB. */
const charactersMax = 2 * 1024 * 1024;
const unreadCharactersMax = 1024 * 1024;
const unreadStepsMax = 1000;
const boundMax = 100_000;

/** Describes the names that steps have defined: top-level declarations, and properties that the global object did not have. */
export function createSymbols({ evaluator, importGetters }) {
  const inherited = new Set(ownList(ownKeys(users)));
  // These are getters, until a step binds the name itself.
  for (const name of offeredNames) if (getOwnPropertyDescriptor(users, name)?.get) inherited.delete(name);
  const boundBy = new Map();
  /** Helpers that the transform of TypeScript has added to steps. */
  const hidden = new Set();
  let unread = [];
  let unreadCharacters = 0;

  const readSteps = () => {
    const steps = unread;
    unread = [];
    unreadCharacters = 0;
    for (const { stepId, code, javaScript } of steps) {
      for (const name of boundNamesOf(javaScript)) {
        if (code.includes(name)) boundBy.set(name, stepId);
        else hidden.add(name);
      }
    }
    for (const name of boundBy.keys()) {
      if (boundBy.size <= boundMax) break;
      boundBy.delete(name);
    }
  };

  const globalValue = (name) => {
    const property = typeof name === 'symbol' || inherited.has(name) ? null : getOwnPropertyDescriptor(users, name);
    if (property?.get && importGetters.has(property.get)) return { value: apply(property.get, users, []) };
    return property && 'value' in property ? property : null;
  };

  return {
    /** Notes the code of a step unread, about a MiB in all, since most contexts are never asked for symbols. */
    note({ stepId, code, reading }) {
      unread.push({ stepId, code, javaScript: reading?.source ?? code });
      unreadCharacters += code.length;
      if (unreadCharacters > unreadCharactersMax || unread.length > unreadStepsMax) readSteps();
    },
    describe() {
      readSteps();
      const values = evaluator.lexicalValues();
      for (const name of ownList(ownKeys(users))) {
        const found = globalValue(name);
        if (found) values.set(name, found.value);
      }
      const described = [];
      let characters = 0;
      for (const [name, value] of values) {
        if (name.length > 512 || hidden.has(name)) continue;
        const symbol = { name, ...describeValue(value), stepId: boundBy.get(name) ?? null };
        characters += name.length + symbol.type.length + symbol.preview.length;
        if (characters > charactersMax || described.length === symbolsMax) break;
        described.push(symbol);
      }
      return described;
    },
  };
}
