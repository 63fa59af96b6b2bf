import { stripTypeScriptTypes } from 'node:module';
import { endsBeforeItsEnd } from '../read/parse.js';
import { readStep } from '../read/read-step.js';

const opener = /[{([]\s*$/;
const indentCharactersMax = 1024;

/** Says whether code that is being typed can run: `{status, indent}`. Runs none of it. */
export function completeness(code) {
  const read = readStep(code, { isBound: () => false });
  if (read) return { status: read.program ? 'complete' : 'invalid', indent: '' };
  if (!endsBeforeItsEnd(code) && !endsInTypes(code)) return { status: 'invalid', indent: '' };
  const last = code.trimEnd().split('\n').at(-1);
  const indent = /^[ \t]*/.exec(last)[0] + (opener.test(last) ? '  ' : '');
  return { status: 'incomplete', indent: indent.slice(0, indentCharactersMax) };
}

/** Whether the code is TypeScript that stops in the middle. The message does not always say so, but the place of the error does. */
function endsInTypes(code) {
  try {
    stripTypeScriptTypes(code);
    return false;
  } catch ({ message, stack }) {
    if (/<eof>|^Unexpected eof|^Unterminated (?:template|block comment)/.test(message)) return true;
    // The stack begins with the number of the line, the line, and a caret below the place, which is missing at the end of the code.
    const [, , caret = ''] = stack.split('\n');
    return /^Expression expected/.test(message) && caret.trim() === '';
  }
}
