import { rewriteConstants, rewriteRedeclaration } from './rewrite-declarations.js';
import { rewriteImports } from './rewrite-imports.js';
import { stripTypes } from './strip-types.js';

const redeclarationsMax = 200;
const redeclared = /^Identifier '(.+)' has already been declared$/;

/**
 * Evaluates a step's code and calls back with the evaluator's outcome. Source that is not even begun is tried in other
 * readings: an object literal in parentheses, declared names as assignments, TypeScript. Nothing is ever run twice.
 */
export function evaluateStep(evaluator, { code, filename }, done) {
  const first = isObjectLiteral(code) ? `(${code.trimEnd()}\n)` : code;
  evaluateJavaScript(evaluator, { code: first, filename }, (outcome) => {
    if (!outcome.rejected) return done(outcome);
    const readings = [first === code ? null : code, stripTypes(code)];
    evaluateReadings(evaluator, { readings, code, filename, rejection: outcome }, done);
  });
}

function evaluateReadings(evaluator, { readings, code, filename, rejection }, done) {
  const reading = readings.find((source) => source !== null);
  if (reading === undefined) return done(rejection);
  const others = readings.slice(readings.indexOf(reading) + 1);
  evaluateJavaScript(evaluator, { code: reading, filename }, (outcome) => {
    if (!outcome.rejected) return done(outcome);
    const better = reading === code ? outcome : rejection;
    evaluateReadings(evaluator, { readings: others, code, filename, rejection: better }, done);
  });
}

function evaluateJavaScript(evaluator, { code, filename }, done) {
  const evaluate = (source) => evaluateRedeclaring(evaluator, { source: rewriteConstants(source), filename }, done);
  if (/\bimport\b/.test(code)) rewriteImports(code).then(evaluate);
  else evaluate(code);
}

function evaluateRedeclaring(evaluator, { source, filename, round = 0 }, done) {
  evaluator.evaluate(source, filename, (outcome) => {
    const [, name] = redeclared.exec(outcome.rejected?.message) ?? [];
    const rewritten = name && round < redeclarationsMax ? rewriteRedeclaration(source, name) : null;
    if (rewritten === null || rewritten === source) return done(outcome);
    evaluateRedeclaring(evaluator, { source: rewritten, filename, round: round + 1 }, done);
  });
}

function isObjectLiteral(code) {
  return /^\s*\{/.test(code) && !/;\s*$/.test(code);
}
