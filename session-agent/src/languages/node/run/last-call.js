import { types } from 'node:util';
import { parse } from '../read/parse.js';
import { apply, users } from '../realm/users-realm.js';

// Taken before any step can replace it.
const { then } = users.Promise.prototype;

/**
 * Calls back with the outcome of a step once the promise has settled that the step's last expression, a call such as `main()`, has
 * returned. A program would not end before it either. A rejection is the step's error.
 */
export function afterLastCall(step, outcome, done) {
  if (!types.isPromise(outcome.value) || !endsInCall(step)) return done(outcome);
  try {
    apply(then, outcome.value, [() => done(outcome), (thrown) => done({ thrown })]);
  } catch {
    // The promise has a constructor of the user's own, which fails.
    done(outcome);
  }
}

function endsInCall({ code, reading }) {
  const last = (reading?.program ?? parse(code))?.body.findLast(({ type }) => type !== 'EmptyStatement');
  if (last?.type !== 'ExpressionStatement') return false;
  const { expression } = last;
  return (expression.type === 'ChainExpression' ? expression.expression : expression).type === 'CallExpression';
}
