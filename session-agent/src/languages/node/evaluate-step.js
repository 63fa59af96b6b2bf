import { Script } from 'node:vm';
import { rewriteConstants, rewriteRedeclaration } from './rewrite-declarations.js';
import { rewriteImports } from './rewrite-imports.js';
import { stripTypes } from './strip-types.js';

const redeclarationsMax = 200;
const redeclared = /^Identifier '(.+)' has already been declared$/;

/**
 * Evaluates a step's code and calls back with the evaluator's outcome. Source that is not even begun is tried in other
 * readings: an object literal in parentheses, declared names as assignments, TypeScript. Nothing is ever run twice.
 */
export function evaluateStep({ evaluator, sources }, { code, filename }, done) {
  const readings = readingsOf(code);
  const tryNext = (rejection) => {
    const { value: reading, done: isLast } = readings.next();
    if (isLast) return done(rejection);
    if (reading.map) sources.keepMap(filename, reading.map);
    evaluateJavaScript(evaluator, { code: reading.code, filename }, (outcome) => {
      if (outcome.rejected) tryNext(rejection && !reading.isFaithful ? rejection : outcome);
      else done(outcome);
    });
  };
  tryNext(null);
}

/** What the code may mean, best first. The error that is reported is one of the last reading that keeps the code's places. */
function* readingsOf(code) {
  if (isObjectLiteral(code)) yield { code: `(${code.trimEnd()}\n)` };
  yield { code, isFaithful: true };
  const stripped = stripTypes(code);
  if (stripped && stripped.code !== code) yield { ...stripped, isFaithful: !stripped.map };
}

function evaluateJavaScript(evaluator, { code, filename }, done) {
  const evaluate = (source) => evaluateRedeclaring(evaluator, { source: rewriteConstants(source), filename }, done);
  if (/\bimport\b/.test(code)) rewriteImports(code).then(evaluate);
  else evaluate(code);
}

function evaluateRedeclaring(evaluator, { source, filename, round = 0 }, done) {
  evaluator.evaluate(source, filename, (outcome) => {
    const [, name] = (outcome.rejected && redeclared.exec(outcome.rejected.message)) ?? [];
    const mayRewrite = name && round < redeclarationsMax && (round > 0 || !declaresTwice(source));
    const rewritten = mayRewrite ? rewriteRedeclaration(source, name) : null;
    if (rewritten === null || rewritten === source) return done(outcome);
    evaluateRedeclaring(evaluator, { source: rewritten, filename, round: round + 1 }, done);
  });
}

/** Whether the source declares a name twice by itself. In a function, no name of an earlier step is in its way. */
function declaresTwice(source) {
  try {
    new Script(`(async () => {${source}\n})`);
    return false;
  } catch (error) {
    return redeclared.test(error.message);
  }
}

function isObjectLiteral(code) {
  return /^\s*\{/.test(code) && !/;\s*$/.test(code);
}
