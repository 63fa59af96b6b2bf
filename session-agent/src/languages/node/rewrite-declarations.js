import { scanTokens, scanTopLevel } from './scan-tokens.js';

const assignmentAfter = /\s*(?:=(?![=>])|(?:[-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)=|\+\+|--)/y;

/**
 * Top-level `const` becomes `let`, so that a later step may declare the name anew in whichever way. One that its own step
 * assigns to stays, as that is a TypeError; so does one without a value, which does not compile.
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

/** Names that are assigned to anywhere, their declarations apart. */
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

/** A default of a parameter, a pattern's or another declaration's looks like an assignment otherwise. */
function mayBeginStatement(source, before, token) {
  return !before || /^[;{})]$/.test(before.text) || source.slice(before.end, token.start).includes('\n');
}

/**
 * The declaration of `name` as an assignment, for where an earlier step has declared it in a way that forbids another
 * (a `var` or function against a `let` or class). Null where no such declaration is found.
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

/** Blanks keep the columns; before a pattern a `0,` keeps it from being read as a block or an index. */
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
