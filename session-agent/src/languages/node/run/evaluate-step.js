import { parseError } from '../read/parse.js';
import { mayBeObject, readStep } from '../read/read-step.js';
import { mayHaveTypeArguments } from '../read/type-arguments.js';
import { users } from '../realm/users-realm.js';
import { rewriteStep } from '../rewrite/rewrite-step.js';
import { declaredBy } from '../rewrite/top-level.js';

const redeclared = /^Identifier '.+' has already been declared$/;
const declaration = /\b(?:const|using|import|export)\b/;
const assignment = /=|\+\+|--|\b(?:let|var|class|function|for)\b/;
const functionSign = /\bfunction\b|=>/;
const bodySign = /\bfunction\b|=>|\)\s*\{/;
const reassignment = /\+\+|--|[^=!<>]=(?![=>])/;
const aboutModules = /outside a module$|^Unexpected token 'export'$/;
const none = new Set();
const { Error: UsersError, SyntaxError: UsersSyntaxError } = users;

/**
 * Evaluates a step's code and calls back with the evaluator's outcome. Code that V8 can evaluate as it stands costs nothing but a look.
 * All other code is read as a tree and rewritten. If V8 rejects source before it begins, another reading is tried. No code ever runs twice.
 */
export function evaluateStep(deps, step, done) {
  const { evaluator, boundNames } = deps;
  const readFirst = (rejected) => {
    try {
      evaluateRead(deps, step, done, rejected);
    } catch ({ message }) {
      done({ thrown: new UsersError(message) });
    }
  };
  if (step.declaresNothing || !isPlain(step.code, boundNames)) return readFirst();
  evaluator.evaluate(step, (outcome) => {
    if (outcome.rejected) readFirst(outcome);
    else done(outcome);
  });
}

/** Whether the code binds no name in a way that V8 alone would get wrong, as far as a look can tell. */
function isPlain(code, boundNames) {
  if (declaration.test(code) || mayBeObject(code) || mayHaveTypeArguments(code)) return false;
  if (mayShareVariables(code)) return false;
  return !boundNames.any || !assignment.test(code);
}

/** Whether a function may share a variable of a block or of a function around it, which the tree tells (`mark-scopes.js`). */
function mayShareVariables(code) {
  const first = code.search(functionSign);
  if (first === -1 || !reassignment.test(code)) return false;
  const before = code.slice(0, first);
  return bodySign.test(code.slice(first + 2)) || (before.includes('{') && /\b(?:let|var)\b/.test(before));
}

function evaluateRead(deps, step, done, rejected) {
  const { evaluator, boundNames } = deps;
  const reading = read(step.code, { isBound: evaluator.isBound });
  if (!reading?.program) return evaluateUnread(evaluator, { step, reading, rejected }, done);
  step.reading = reading;
  const { topLevel } = reading;
  const taken = takenBy(step, topLevel, boundNames);
  evaluateRewritten(deps, { step, taken }, (outcome) => {
    if (!outcome.rejected || !redeclared.test(outcome.rejected.message)) return done(outcome);
    const allTaken = boundNames.taken(topLevel);
    if (allTaken.size === taken.size) return done(outcome);
    evaluateRewritten(deps, { step, taken: allTaken }, done);
  });
}

/** A step that declares nothing assigns to its names instead, which are properties of the global object. */
function takenBy({ declaresNothing }, topLevel, boundNames) {
  if (declaresNothing) return declaredBy({ ...topLevel, importedNames: none });
  return topLevel.importedNames.size > 0 ? boundNames.taken(topLevel) : none;
}

/** Leaves source that cannot be parsed to V8, which knows newer syntax and whose errors everyone knows. */
function evaluateUnread(evaluator, { step, reading, rejected }, done) {
  const concluded = (outcome) => done(outcome.rejected ? withoutModules(step.code, outcome) : outcome);
  if (rejected && !reading) concluded(rejected);
  else evaluator.evaluate({ filename: step.filename, code: reading?.source ?? step.code }, concluded);
}

/** To V8 a step is a script, so that it complains of an `import` even if the fault is elsewhere. The parser knows better. */
function withoutModules(code, outcome) {
  const fault = aboutModules.test(outcome.rejected.message) ? parseError(code) : null;
  return fault ? { ...fault, rejected: new UsersSyntaxError(fault.message) } : outcome;
}

/** Returns null as well if the tree is too deep to walk, which V8 may still evaluate. */
function read(code, scope) {
  try {
    return readStep(code, scope);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function evaluateRewritten({ evaluator, sources, boundNames }, { step, taken }, done) {
  const { filename, reading } = step;
  const { code, map } = rewriteStep(reading, { names: boundNames, taken });
  sources.addMaps(filename, [map, reading.map]);
  boundNames.free(reading.topLevel);
  const takeBack = boundNames.note(reading.topLevel, taken);
  evaluator.evaluate({ code, filename }, (outcome) => {
    if (outcome.rejected) takeBack();
    done(asWritten(sources, filename, outcome));
  });
}

/** Puts the position of a rejection in the source as it was written. */
function asWritten(sources, filename, outcome) {
  if (!outcome.rejected) return outcome;
  const { line, column } = sources.place(filename, outcome.line + 1, outcome.column + 1);
  return { ...outcome, line: line - 1, column: column - 1 };
}
