import { declarationNames } from './declared-names.js';

const opening = 'var {} = (';
const closing = ', 0);';

/**
 * Turns declarations of names that are `taken` into assignments: a `var` or function whose name is a `let` of an earlier step, or the
 * other way round. The other names of such a statement are still declared. An assignment is written as the value of a `var` that binds
 * nothing, since a declaration, unlike an expression, is not the value of a step. The code of the step begins at `at`.
 */
export function redeclare(edits, { topLevel, taken, fresh, at }) {
  const isTaken = ({ id }) => taken.has(id.name);
  for (const declaration of topLevel.variables) {
    if (declarationNames(declaration).some((name) => taken.has(name))) assign(edits, declaration, { taken });
  }
  for (const { declaration, isLoopHead } of topLevel.vars) {
    const names = declarationNames(declaration);
    if (!names.some((name) => taken.has(name))) continue;
    const others = names.filter((name) => !taken.has(name));
    if (others.length > 0) edits.insert(at, `var ${others.join(', ')}; `);
    if (isLoopHead) edits.pad(keywordOf(declaration, edits.source));
    else assign(edits, declaration, {});
  }
  for (const node of topLevel.classes.filter(isTaken)) edits.wrap(node, `${opening}${node.id.name} = `, closing);
  for (const node of topLevel.functions.filter(isTaken)) {
    edits.wrap(node, `${opening}${node.id.name} = `, closing);
    // Without a name of its own, the function has no binding inside that hides the one that all other code sees.
    edits.pad(node.id);
    if (node.start > at) edits.move(node, at);
  }
  const reset = [...topLevel.varNames].filter(
    (name) => (taken.has(name) || fresh.has(name)) && !topLevel.functionNames.has(name),
  );
  if (reset.length > 0) edits.insert(at, `${opening}${reset.map((name) => `${name} = void 0`).join(', ')}${closing} `);
}

/** Without `taken` it is a `var`, whose names without a value stay as they are. */
function assign(edits, declaration, { taken }) {
  const { declarations, end } = declaration;
  const others = taken ? declarationNames(declaration).filter((name) => !taken.has(name)) : [];
  edits.replace(
    keywordOf(declaration, edits.source),
    `${others.length > 0 ? `let ${others.join(', ')}; ` : ''}${opening}`,
  );
  for (const { id, init } of taken ? declarations : []) if (!init) edits.insert(id.end, ' = void 0');
  edits.insert(declarations.at(-1).end, edits.source[end - 1] === ';' ? ', 0)' : closing);
}

/** Returns the position of `var`, `let`, `const`, `using` or `await using`, which has two words. */
export function keywordOf({ start, kind }, source) {
  const last = kind.split(' ').at(-1);
  return { start, end: source.indexOf(last, start) + last.length };
}
