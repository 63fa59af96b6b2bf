import { parse } from '../read/parse.js';
import { resolveNames } from '../rewrite/references.js';
import { declaredBy, topLevelOf } from '../rewrite/top-level.js';

/** Returns the names that a step declares at its top level or assigns to. */
export function boundNamesOf(source) {
  const program = parse(source);
  if (program === null) return [];
  const written = resolveNames(program).references.filter(({ isWritten }) => isWritten);
  return [...declaredBy(topLevelOf(program)), ...written.map(({ name }) => name)];
}
