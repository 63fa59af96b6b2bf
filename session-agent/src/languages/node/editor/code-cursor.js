import { endsInText } from '../read/parse.js';

const name = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';
const endOfChain = new RegExp(`((?:${name}\\s*(?:\\?\\.|\\.)\\s*)*)((?:${name})?)$`, 'u');
const startOfName = /^[\p{ID_Continue}$]*/u;
const specifier = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire(?:\.resolve)?\s*\(\s*)(['"`])([^'"`\n]*)$/;

/**
 * Reads the code before a cursor, which counts Unicode characters. Returns one of: `{specifier, partial}` in a module specifier;
 * `{path, partial, isMember}` behind dotted names, the last as far as it is written; the same with `isText` behind a string, for
 * a member of it; null in strings and comments.
 */
export function readBefore(code, cursor) {
  const before = [...code].slice(0, cursor).join('');
  const module = specifier.exec(before);
  if (module) return { specifier: module[2], partial: module[2].slice(module[2].lastIndexOf('/') + 1) };
  if (endsInText(before)) return null;
  const [whole, chain, partial] = endOfChain.exec(before);
  const path = chain.split(/\s*\??\.\s*/).slice(0, -1);
  const ahead = before.slice(0, before.length - whole.length).trimEnd();
  if (!ahead.endsWith('.')) return { path, partial, isMember: path.length > 0 };
  const isText = /['"`]\s*\??\.$/.test(ahead) && path.length === 0;
  return isText ? { isText, path, partial, isMember: true } : null;
}

/** Returns the parts of the dotted name at the cursor, or else of the function that is called around it, or null. */
export function readName(code, cursor) {
  const characters = [...code];
  const before = characters.slice(0, cursor).join('');
  const after = startOfName.exec(characters.slice(cursor).join(''))[0];
  return pathOf(`${before}${after}`) ?? pathOf(before.replace(/\s*\([^()]*$/, ''));
}

function pathOf(text) {
  if (endsInText(text)) return null;
  const [, chain, last] = endOfChain.exec(text);
  if (last === '') return null;
  const ahead = text.slice(0, text.length - chain.length - last.length).trimEnd();
  return ahead.endsWith('.') ? null : [...chain.split(/\s*\??\.\s*/).slice(0, -1), last];
}
