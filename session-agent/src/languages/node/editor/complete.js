import { readBefore } from './code-cursor.js';
import { kindOf } from './describe-value.js';
import { moduleNames } from './module-names.js';

const matchesMax = 1000;
const textCharactersMax = 512;
const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const keywords =
  'async await break case catch class const continue debugger default delete do else export extends false finally for function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while with yield'.split(
    ' ',
  );

/** Completes the code at the cursor: `{matches, start, end}`. Names of steps come before those of Node, and keywords come last. */
export function complete(scope, { code, cursor }) {
  const at = read(code, cursor);
  const matches = [];
  for (const [text, kind] of at ? candidates(scope, at) : []) {
    if (!text.startsWith(at.partial) || text.length > textCharactersMax || matches.length === matchesMax) continue;
    matches.push({ text, kind });
  }
  return { matches, start: cursor - [...(at?.partial ?? '')].length, end: cursor };
}

function read(code, cursor) {
  try {
    return readBefore(code, cursor);
  } catch {
    return null;
  }
}

function* candidates(scope, at) {
  if (at.specifier !== undefined) yield* moduleNames(at.specifier);
  else if (at.isMember) yield* members(scope, at.isText ? { value: '' } : scope.find(at.path));
  else yield* names(scope, at.partial);
}

function* members(scope, owner) {
  for (const [name, property] of owner ? scope.members(owner.value) : []) {
    if (identifier.test(name)) yield [name, typeof property.value === 'function' ? 'method' : 'property'];
  }
}

function* names(scope, partial) {
  for (const [name, read] of scope.names()) {
    if (!name.startsWith(partial)) continue;
    const known = read();
    yield [name, known ? kindOf(known.value) : 'variable'];
  }
  for (const keyword of keywords) yield [keyword, 'keyword'];
}
