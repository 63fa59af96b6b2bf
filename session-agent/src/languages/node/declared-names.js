import { scanTopLevel } from './scan-tokens.js';

/** Words of a step that may bind a name: those that are declared or assigned at its top level. Too many do no harm. */
export function* declaredNames(code) {
  for (const [, inPattern] of code.matchAll(/(?:let|const|var|import)\s*[\w$,\s]*[{[]([^=]*)[}\]]/g)) {
    yield* inPattern.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? [];
  }
  for (const token of scanTopLevel(code)) if (token.isWord) yield token.text;
}
