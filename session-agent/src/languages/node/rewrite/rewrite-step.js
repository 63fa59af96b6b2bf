import { dropExports } from './drop-exports.js';
import { createEdits } from './edits.js';
import { guardConstants } from './guard-constants.js';
import { markScopes } from './mark-scopes.js';
import { keywordOf, redeclare } from './redeclare.js';
import { resolveNames } from './references.js';
import { rewriteImports } from './rewrite-imports.js';
import { silenceHelpers } from './silence-helpers.js';
import { beginOf, declaredBy } from './top-level.js';

/**
 * Rewrites a step so that it can be evaluated as a script among those of earlier steps: `{code, map}`. `names` tells how earlier
 * steps have bound their names. `taken` are names that this step declares although V8 lets no script declare them again.
 */
export function rewriteStep({ source, program, topLevel, isObject, isTyped, fresh, map }, { names, taken }) {
  const edits = createEdits(source);
  const at = beginOf(program);
  const resolved = resolveNames(program);
  const declared = declaredBy(topLevel);
  const isLive = (name) =>
    declared.has(name) ? taken.has(name) && topLevel.importedNames.has(name) : names.isLive(name);
  const isConstant = (name) => (declared.has(name) ? topLevel.constantNames.has(name) : names.isConstant(name));
  guardConstants(edits, resolved.references, { isConstant, isLive });
  for (const declaration of topLevel.variables) {
    if (declaration.kind !== 'let') edits.pad(keywordOf(declaration, source), 'let');
  }
  rewriteImports(edits, { program, resolved, taken, at, isTyped });
  dropExports(edits, program);
  markScopes(edits, resolved.scopes);
  if (isObject) edits.wrap(program.body[0], '(', ')');
  if (map) silenceHelpers(edits, program);
  redeclare(edits, { topLevel, taken, fresh, at });
  return edits.finish();
}
