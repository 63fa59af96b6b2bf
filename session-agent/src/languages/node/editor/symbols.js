import { getOwnPropertyDescriptor, ownKeys, ownList, users } from '../realm/users-realm.js';
import { declaredNames } from '../rewrite/rewrite-declarations.js';
import { describeValue } from './describe-value.js';

const symbolsMax = 10_000;
/** At most six bytes of JSON for each, which leaves room in a message of 16 MiB. */
const charactersMax = 2 * 1024 * 1024;
const unreadCharactersMax = 1024 * 1024;
const unreadStepsMax = 1000;
const boundMax = 100_000;

/** Describes the names that steps have defined: top-level declarations, and properties that the global object did not have. */
export function createSymbols(evaluator) {
  const inherited = new Set(ownList(ownKeys(users)));
  const boundBy = new Map();
  let unread = [];
  let unreadCharacters = 0;

  const readSteps = () => {
    for (const { stepId, code } of unread) for (const name of declaredNames(code)) boundBy.set(name, stepId);
    unread = [];
    unreadCharacters = 0;
    for (const name of boundBy.keys()) {
      if (boundBy.size <= boundMax) break;
      boundBy.delete(name);
    }
  };

  return {
    /** Notes the code of a step unread, about a MiB in all, since most contexts are never asked for symbols. */
    note({ stepId, code }) {
      unread.push({ stepId, code });
      unreadCharacters += code.length;
      if (unreadCharacters > unreadCharactersMax || unread.length > unreadStepsMax) readSteps();
    },
    describe() {
      readSteps();
      const values = evaluator.lexicalValues();
      for (const name of ownList(ownKeys(users))) {
        const property = typeof name === 'symbol' || inherited.has(name) ? null : getOwnPropertyDescriptor(users, name);
        if (property && 'value' in property) values.set(name, property.value);
      }
      const described = [];
      let characters = 0;
      for (const [name, value] of values) {
        if (name.length > 512) continue;
        const symbol = { name, ...describeValue(value), stepId: boundBy.get(name) ?? null };
        characters += name.length + symbol.type.length + symbol.preview.length;
        if (characters > charactersMax || described.length === symbolsMax) break;
        described.push(symbol);
      }
      return described;
    },
  };
}
