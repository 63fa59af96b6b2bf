const wordStart = /[\p{ID_Start}$_]/u;
const word = /[\p{ID_Continue}$\u200c\u200d]+/uy;
const number = /[0-9][\w.]*/y;
const regex = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** Words that an expression follows, so that a slash behind them begins a regular expression. */
const beforeExpression = new Set(
  'return typeof instanceof in of new delete void throw case do else yield await'.split(' '),
);

/**
 * Returns the tokens of a source: words, literals, and punctuation one character at a time, each with the number of brackets
 * around it (`depth`). A light scanner, not a parser: it knows strings, templates, comments and regular expressions well enough
 * to skip them.
 */
export function scanTokens(source) {
  const tokens = [];
  let depth = 0;
  let at = 0;
  let last = null;
  const push = (text, isWord) => {
    last = { text, start: at, end: at + text.length, isWord, depth };
    at = last.end;
    tokens.push(last);
  };
  while (at < source.length) {
    const char = source[at];
    if (char <= ' ' || char === '\u00a0') at++;
    else if (source.startsWith('//', at)) at = endOr(source.indexOf('\n', at), source);
    else if (source.startsWith('/*', at)) at = endOr(source.indexOf('*/', at + 2) + 2, source, 1);
    else if (char === '"' || char === "'") push(quoted(source, at), false);
    else if (char === '`') push(template(source, at), false);
    else if (char === '/' && mayBeginRegex(last) && matchAt(regex, source, at)) push(matchAt(regex, source, at), false);
    else if (char >= '0' && char <= '9') push(matchAt(number, source, at), false);
    else if (wordStart.test(String.fromCodePoint(source.codePointAt(at)))) {
      push(matchAt(word, source, at) ?? char, true);
    } else {
      if (char === ')' || char === ']' || char === '}') depth--;
      push(char, false);
      if (char === '(' || char === '[' || char === '{') depth++;
    }
  }
  return tokens;
}

/** Returns the tokens outside of all brackets, and the outermost brackets themselves. */
export function scanTopLevel(source) {
  return scanTokens(source).filter(({ depth }) => depth === 0);
}

function endOr(index, source, min = 0) {
  return index <= min ? source.length : index;
}

function matchAt(pattern, source, at) {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}

function mayBeginRegex(last) {
  if (last === null) return true;
  if (last.isWord) return beforeExpression.has(last.text);
  return !/[)\]}"'`\w]$/.test(last.text);
}

function quoted(source, start) {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === source[start] || source[at] === '\n') return source.slice(start, at + 1);
  }
  return source.slice(start);
}

/** Returns a template literal with all that is nested in its substitutions. */
function template(source, start) {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === '`') return source.slice(start, at + 1);
    else if (source.startsWith('${', at)) at = substitutionEnd(source, at + 2);
  }
  return source.slice(start);
}

function substitutionEnd(source, start) {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    const char = source[at];
    if (char === '"' || char === "'") at += quoted(source, at).length - 1;
    else if (char === '`') at += template(source, at).length - 1;
    else if (char === '{') depth++;
    else if (char === '}' && depth-- === 0) return at;
  }
  return source.length;
}
