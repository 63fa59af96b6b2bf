import { scanTopLevel } from './scan-top-level.js';

/** Top-level `const` becomes `let`, so that a later step may declare the name anew in whichever way. */
export function rewriteConstants(source) {
  if (!/\bconst\b/.test(source)) return source;
  let out = '';
  let from = 0;
  let before = null;
  for (const token of scanTopLevel(source)) {
    if (token.isWord && token.text === 'const' && before?.text !== '.') {
      out += `${source.slice(from, token.start)}let  `;
      from = token.end;
    }
    before = token;
  }
  return out + source.slice(from);
}

/**
 * The declaration of `name` as an assignment, for where an earlier step has declared it in a way that forbids another
 * (a `var` or function against a `let` or class). Null where no such declaration is found.
 */
export function rewriteRedeclaration(source, name) {
  const tokens = scanTopLevel(source);
  for (const [index, token] of tokens.entries()) {
    if (!token.isWord || tokens[index - 1]?.text === '.') continue;
    if (token.text === 'let' || token.text === 'var') {
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
  return `${source.slice(0, keyword.start)}${isPattern ? '0, ' : '   '}${source.slice(keyword.end, next.end)}${
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
