import { declaredNames } from './declared-names.js';
import { describeValue } from './describe-value.js';
import { ownList } from './own-list.js';
import { getOwnPropertyDescriptor, ownKeys, users } from './users-realm.js';

const symbolsMax = 10_000;
/** At most six bytes of JSON for each, which leaves room in a message of 16 MiB. */
const charactersMax = 2 * 1024 * 1024;
const unreadCharactersMax = 1024 * 1024;
const unreadStepsMax = 1000;
const boundMax = 100_000;
/** The names that steps have defined: top-level declarations, and properties that the global object did not have. */
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
    /** Keeps the step until somebody asks, as most are never asked about; but no more than about a MiB of them. */
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
