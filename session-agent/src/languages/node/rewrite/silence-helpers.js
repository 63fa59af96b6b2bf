const helperCall = /^(?:[\w$]+ = )?__\w+\(/;

/**
 * Keeps the value of a step what it is without the statements that the transform of TypeScript has added, such as those that decorate a
 * class after its declaration.
 */
export function silenceHelpers(edits, program) {
  for (const { type, expression, start, end } of program.body) {
    if (type !== 'ExpressionStatement' || !helperCall.test(edits.source.slice(start, end))) continue;
    edits.wrap(expression, 'var {} = (', ', 0)');
  }
}
