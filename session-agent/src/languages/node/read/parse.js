let acorn;
let Parser;

const options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
  allowHashBang: true,
};

export async function loadParser() {
  acorn ??= await import('acorn');
  Parser ??= acorn.Parser.extend(withUsing);
}

/** `using` may stand at the top of a step, and not only of a module. */
const withUsing = (Base) =>
  class extends Base {
    get allowUsing() {
      return true;
    }
  };

/** Parses the source of a step, in which `await`, `import` and `export` may stand at the top. Returns null if it cannot be parsed. */
export function parse(source) {
  try {
    return Parser.parse(source, options);
  } catch {
    // Also a RangeError, if the source is nested too deeply for a parser that is written in JavaScript.
    return null;
  }
}

/** Whether source ends inside a comment, or inside a string, a template or a regular expression that is not closed. */
export function endsInText(source) {
  let commentEnd = -1;
  const onComment = (isBlock, _text, _start, end) => {
    commentEnd = isBlock ? -1 : end;
  };
  try {
    for (const _ of acorn.tokenizer(source, { ...options, onComment }));
    return commentEnd === source.length;
  } catch ({ message }) {
    return /^Unterminated /.test(message);
  }
}

/** Whether source that cannot be parsed may be the beginning of some that can. */
export function endsBeforeItsEnd(source) {
  try {
    Parser.parse(source, options);
    return false;
  } catch ({ message, pos }) {
    return pos >= source.trimEnd().length || /^Unterminated (?:template|comment)/.test(message);
  }
}

/** Returns the parser's error about source that it cannot parse, `{message, line, column}` counted from zero, or null. */
export function parseError(source) {
  try {
    Parser.parse(source, options);
    return null;
  } catch ({ message, loc }) {
    return loc ? { message: message.replace(/ \(\d+:\d+\)$/, ''), line: loc.line - 1, column: loc.column } : null;
  }
}

/** Parses source that is one object literal, which as a program would be a block. Returns null if it is anything else. */
export function parseObjectLiteral(source) {
  try {
    const expression = acorn.parseExpressionAt(source, 0, options);
    const [after] = acorn.tokenizer(source.slice(expression.end), options);
    if (after !== undefined) return null;
    const { start, end } = expression;
    return { type: 'Program', start, end, body: [{ type: 'ExpressionStatement', start, end, expression }] };
  } catch {
    return null;
  }
}
