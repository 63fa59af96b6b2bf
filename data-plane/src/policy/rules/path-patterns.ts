import { workspacePath } from '@holdfast/specs/public';
import { matchesName } from './name-patterns.ts';

/** Matches every path. */
const everything = '**';

/**
 * Whether one of the patterns allows the path. A path that is not canonical is never allowed. One that could be taken for another path is
 * allowed only if every path is. Pure.
 */
export function allowsPath(patterns: readonly string[], path: string): boolean {
  if (path === '' || workspacePath(path) !== path) return false;
  if (patterns.includes(everything)) return true;
  return isPlain(path) && patterns.some((pattern) => matchesNames(pattern.split('/'), path.split('/')));
}

/** Characters that look like a separator and that NFKC leaves as they are. */
const separators = /[\\\u2044\u2215\u2216\u244a\u27cb\u27cd\u29f5\u29f8\u29f9\u{1f67c}\u{1f67d}]/u;
/** Control, invisible and unassigned characters, and every space but the common one. */
const invisible = /[\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/u;
const doubtfulEnd = /(^ |[. ]$)/;

/** Whether the path reads in one way only, on every system and in every Unicode form. */
function isPlain(path: string): boolean {
  if (path !== path.normalize('NFKC') || separators.test(path) || invisible.test(path)) return false;
  return !path.split('/').some((name) => doubtfulEnd.test(name));
}

/** Whether every path that `inner` matches is matched by `outer`. Pure. */
export const coversPath = (outer: string, inner: string): boolean => matchesNames(outer.split('/'), inner.split('/'));

/**
 * `**` stands for any number of names, and for at least one at the end. If a part after it does not fit, only the latest `**` takes one more
 * name, so that the time is bounded by the product of both lengths. A `**` among the names is a pattern's own: only `**` matches it.
 */
function matchesNames(pattern: readonly string[], names: readonly string[]): boolean {
  let part = 0;
  let name = 0;
  let latest: { part: number; name: number } | null = null;
  while (name < names.length) {
    const wanted = pattern[part];
    if (wanted === everything) {
      if (part === pattern.length - 1) return true;
      latest = { part, name };
      part += 1;
    } else if (wanted !== undefined && names[name] !== everything && matchesName(wanted, names[name] ?? '')) {
      part += 1;
      name += 1;
    } else if (latest) {
      latest.name += 1;
      part = latest.part + 1;
      name = latest.name;
    } else {
      return false;
    }
  }
  return part === pattern.length;
}
