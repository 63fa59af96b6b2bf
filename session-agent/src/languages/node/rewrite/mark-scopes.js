/** The name of the mark. It refers to itself, so that V8 keeps it beside the variables that inner functions use. */
export const scopeMark = '$scope$';

const declaration = ` const ${scopeMark} = () => ${scopeMark};`;

/**
 * Gives each block a mark if inner functions use a variable of it that is assigned after its declaration. A snapshot tells by the mark which
 * functions share the variable, and which have one of the same name and value each. Nothing else in V8 tells them apart.
 */
export function markScopes(edits, scopes) {
  const places = new Set();
  for (const { markAt, captured, written } of scopes) {
    if (markAt !== null && [...captured].some((name) => written.has(name))) places.add(markAt);
  }
  for (const at of places) edits.insert(at, declaration);
}
