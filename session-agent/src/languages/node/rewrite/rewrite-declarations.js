import { scanTokens, scanTopLevel } from './scan-tokens.js';

const assignmentAfter = /\s*(?:=(?![=>])|(?:[-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)=|\+\+|--)/y;

/**
 * Turns top-level `const` into `let`, so that a later step may declare the name anew in any way. A constant that its own step
 * assigns to stays, because that must be a TypeError. So does a constant without a value, which does not compile.
 */
export function rewriteConstants(source) {
  if (!/\bconst\b/.test(source)) return source;
  const tokens = scanTokens(source);
  const assigned = assignedNames(source, tokens);
  let out = '';
  let from = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.depth > 0 || token.text !== 'const' || tokens[index - 1]?.text === '.') continue;
    const [next, after] = tokens.slice(index + 1, index + 3);
    const isPattern = next?.text === '{' || next?.text === '[';
    if (!isPattern && (after?.text !== '=' || assigned.has(next.text))) continue;
    out += `${source.slice(from, token.start)}let  `;
    from = token.end;
  }
  return out + source.slice(from);
}

/** Finds the names that are assigned to anywhere, apart from their declarations. */
function assignedNames(source, tokens) {
  const names = new Set();
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (!token.isWord || before?.text === '.' || before?.text === 'const') continue;
    assignmentAfter.lastIndex = token.end;
    const operator = assignmentAfter.exec(source)?.[0].trim();
    const isPrefixed = /(?:\+\+|--)$/.test(source.slice(0, token.start).trimEnd().slice(-2));
    if (isPrefixed || (operator && (operator !== '=' || mayBeginStatement(source, before, token))))
      names.add(token.text);
  }
  return names;
}

/** Tells assignments from declarations and from defaults of parameters and patterns, which look alike. */
function mayBeginStatement(source, before, token) {
  return !before || /^[;{})]$/.test(before.text) || source.slice(before.end, token.start).includes('\n');
}

/**
 * Turns the declaration of `name` into an assignment, for a name that an earlier step has declared in a way that forbids another
 * declaration (a `var` or function against a `let` or class). Returns null if the source has no such declaration.
 */
export function rewriteRedeclaration(source, name) {
  const tokens = scanTopLevel(source);
  for (const [index, token] of tokens.entries()) {
    if (!token.isWord || tokens[index - 1]?.text === '.') continue;
    if (token.text === 'let' || token.text === 'const' || token.text === 'var') {
      const rewritten = assignment(source, token, tokens, index, name);
      if (rewritten !== null) return rewritten;
    } else if (token.text === 'class' || token.text === 'function') {
      const star = tokens[index + 1]?.text === '*' ? 1 : 0;
      if (tokens[index + 1 + star]?.text === name) return expression(source, tokens, index, name);
    }
  }
  return null;
}

/** Pads with blanks, so that columns stay the same. `0,` before a pattern prevents reading it as a block or an index. */
function assignment(source, keyword, tokens, index, name) {
  const next = tokens[index + 1];
  if (!next) return null;
  const statement = source.slice(keyword.end, tokens.slice(index).find(({ text }) => text === ';')?.start);
  if (!new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'u').test(statement)) return null;
  const isPattern = next.text === '{' || next.text === '[';
  const after = tokens[index + 2]?.text;
  const isBare = !isPattern && next.text === name && after !== '=';
  return `${source.slice(0, keyword.start)}${(isPattern ? '0,' : '').padEnd(keyword.text.length)}${source.slice(keyword.end, next.end)}${
    isBare ? ' = undefined' : ''
  }${source.slice(next.end)}`;
}

function expression(source, tokens, index, name) {
  const isAsync = tokens[index].text === 'function' && tokens[index - 1]?.text === 'async';
  const { start } = tokens[isAsync ? index - 1 : index];
  const close = tokens.slice(index).find(({ text }) => text === '}');
  if (!close) return null;
  return `${source.slice(0, start)}${name} = ${source.slice(start, close.end)};${source.slice(close.end)}`;
}

/** The words of a step that may bind a name: those that it declares or assigns at its top level. A word too many does no harm. */
export function* declaredNames(code) {
  for (const [, inPattern] of code.matchAll(/(?:let|const|var|import)\s*[\w$,\s]*[{[]([^=]*)[}\]]/g)) {
    yield* inPattern.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? [];
  }
  for (const token of scanTopLevel(code)) if (token.isWord) yield token.text;
}
