import { inspect, types } from 'node:util';
import { get, getPrototypeOf, users } from '../realm/users-realm.js';

const messageCharactersMax = 65_536;
const tracebackLinesMax = 200;
const lineCharactersMax = 4096;
const ownFrame = /^\s*at .*\bholdfast:/;
const errorPrototype = users.Error.prototype;

/**
 * Describes any thrown value as Node's REPL shows it, with causes and properties: `{name, message, traceback}`. `sources` gives the
 * line of the step that the error comes from.
 */
export function describeError(thrown, sources) {
  if (!isError(thrown)) {
    const shown = shownOr(thrown, '<a value that cannot be shown>');
    return described('Uncaught', shown, `Uncaught ${shown}`.split('\n'));
  }
  const name = textOf(thrown, 'name', 'Error');
  const message = textOf(thrown, 'message', '');
  const lines = shownOr(thrown, `${name}: ${message}`).split('\n');
  const users = lines.filter((line) => !ownFrame.test(line));
  return described(name, message, [...place(users, sources), ...users]);
}

/** Inspects a value, or returns `otherwise` if the value's own code fails in that. */
function shownOr(value, otherwise) {
  try {
    return inspect(value, { depth: 3, maxStringLength: messageCharactersMax, showProxy: true });
  } catch {
    return otherwise;
  }
}

/** Returns the lines of source as JavaScript counts them, without their ends. */
export function linesOf(code) {
  return code.split(/\r\n|[\n\r\u2028\u2029]/);
}

/** Describes the error of source that does not compile. It has no frames, so its position comes from the compiler (zero-based). */
export function describeSyntaxError(error, { filename, line, column, code }) {
  const lines = linesOf(code);
  const isInside = line < lines.length;
  const text = lines[isInside ? line : lines.length - 1];
  const at = isInside ? column : text.length;
  const position = `${filename}:${Math.min(line, lines.length - 1) + 1}:${at + 1}`;
  return described('SyntaxError', error.message, [position, text, caret(text, at), `SyntaxError: ${error.message}`]);
}

/** Returns position, line and caret, as Node prints them before an error that ends a program. */
function place(lines, sources) {
  for (const line of lines) {
    const [, filename, row, column] = /^ +at .*?(\[step-\d+\]):(\d+):(\d+)\)?(?: \{)?$/.exec(line) ?? [];
    if (filename === undefined) continue;
    const text = sources?.line(filename, Number(row));
    return text === undefined ? [] : [`${filename}:${row}`, text, caret(text, column - 1), ''];
  }
  return [];
}

/** Returns a line with a caret under a character. Tabs stay tabs, so that the caret is in its column. */
function caret(text, at) {
  return `${text.slice(0, at).replace(/[^\t]/g, ' ')}^`;
}

function described(name, message, lines) {
  return {
    name: name.slice(0, 256),
    message: message.slice(0, messageCharactersMax),
    traceback: lines.slice(0, tracebackLinesMax).map((line) => line.slice(0, lineCharactersMax)),
  };
}

/** Whether a value is an error. Touches no proxy, whose traps would run. */
function isError(value) {
  if (types.isNativeError(value)) return !types.isProxy(value);
  if (typeof value !== 'object') return false;
  for (let at = value; at !== null && !types.isProxy(at); at = getPrototypeOf(at)) {
    if (at === errorPrototype) return true;
  }
  return false;
}

function textOf(error, key, otherwise) {
  try {
    const text = get(error, key);
    return typeof text === 'string' ? text : otherwise;
  } catch {
    return otherwise;
  }
}
