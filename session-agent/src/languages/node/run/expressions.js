import { parse, parseError } from '../read/parse.js';
import { users } from '../realm/users-realm.js';
import { describeError } from '../show/describe-error.js';
import { showValue } from '../show/show-value.js';

const { SyntaxError: UsersSyntaxError } = users;

/**
 * Evaluates an expression that a step's request names beside its code. Calls back with the value's bundle, with `{error}`, or with null
 * if the evaluation was terminated.
 */
export function evaluateExpression({ evaluator, sources }, code, done) {
  const source = `(${code}\n)`;
  const fault = faultIn(source);
  if (fault !== null) return done({ error: describeError(new UsersSyntaxError(fault), sources) });
  evaluator.evaluate({ code: source, filename: '[expression]' }, (outcome) => {
    done(outcome.terminated ? null : expressionValue(outcome, sources));
  });
}

/** Why source in parentheses is not a single expression; null if it is one. */
function faultIn(source) {
  const program = parse(source);
  if (program === null) return parseError(source)?.message ?? 'this is no expression';
  const [first, second] = program.body;
  return first?.type === 'ExpressionStatement' && second === undefined ? null : 'this is no single expression';
}

function expressionValue(outcome, sources) {
  if (outcome.rejected) return { error: describeError(outcome.rejected, sources) };
  if ('thrown' in outcome) return { error: describeError(outcome.thrown, sources) };
  try {
    return { data: showValue(outcome.value) ?? { 'text/plain': 'undefined' }, metadata: {} };
  } catch (thrown) {
    return { error: describeError(thrown, sources) };
  }
}
