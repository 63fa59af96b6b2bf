import { Script } from 'node:vm';
import { rewriteConstants, rewriteRedeclaration } from '../rewrite/rewrite-declarations.js';
import { rewriteImports } from '../rewrite/rewrite-imports.js';
import { stripTypes } from '../rewrite/strip-types.js';

const redeclarationsMax = 200;
const redeclared = /^Identifier '(.+)' has already been declared$/;

/**
 * Evaluates a step's code and calls back with the evaluator's outcome. If the source is rejected before it begins, other readings
 * are tried: an object literal in parentheses, declared names as assignments, TypeScript. No code ever runs twice.
 */
export function evaluateStep({ evaluator, sources }, { code, filename }, done) {
  const readings = readingsOf(code);
  const tryNext = (rejection) => {
    const { value: reading, done: isLast } = readings.next();
    if (isLast) return done(rejection);
    if (reading.map) sources.addMap(filename, reading.map);
    evaluateJavaScript(evaluator, { code: reading.code, filename }, (outcome) => {
      if (outcome.rejected) tryNext(rejection && !reading.isFaithful ? rejection : outcome);
      else done(outcome);
    });
  };
  tryNext(null);
}

/** Yields the possible readings of the code, best first. The reported error is that of the last reading with the same positions. */
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

/** Whether the source itself declares a name twice. Compiled as a function, it cannot conflict with names of earlier steps. */
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
