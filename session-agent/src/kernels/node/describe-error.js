import { inspect } from 'node:util';

const messageCharactersMax = 65_536;
const tracebackLinesMax = 200;
const lineCharactersMax = 4096;

/** `{name, message, traceback}` of anything that was thrown. Frames of the kernel and of Node itself are left out. */
export function describeError(thrown) {
  try {
    if (isError(thrown)) return described(text(thrown.name, 'Error'), text(thrown.message, ''), stackLines(thrown));
    const shown = inspect(thrown, { depth: 2, maxStringLength: messageCharactersMax });
    return described('Uncaught', shown, [`Uncaught ${shown}`]);
  } catch {
    return described('Error', '<the error has no text: showing it fails>', []);
  }
}

/** The error of source that does not compile: it has no frames, so its place comes from the compiler (zero-based). */
export function describeSyntaxError(error, { filename, line, column, code }) {
  const lines = code.split('\n');
  const isInside = line < lines.length;
  const text = lines[isInside ? line : lines.length - 1];
  const at = isInside ? column : text.length;
  const place = `${filename}:${Math.min(line, lines.length - 1) + 1}:${at + 1}`;
  return described(error.name, error.message, [place, text, `${' '.repeat(at)}^`, `${error.name}: ${error.message}`]);
}

function described(name, message, lines) {
  return {
    name: name.slice(0, 256),
    message: message.slice(0, messageCharactersMax),
    traceback: lines.slice(0, tracebackLinesMax).map((line) => line.slice(0, lineCharactersMax)),
  };
}

function isError(value) {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

function text(value, otherwise) {
  return typeof value === 'string' ? value : otherwise;
}

function stackLines(error) {
  const lines = text(error.stack, `${error.name}: ${error.message}`).split('\n').filter(isUsers);
  for (let { cause } = error, depth = 0; isError(cause) && depth < 8; { cause } = cause, depth++) {
    lines.push('Caused by:', ...text(cause.stack, String(cause)).split('\n').filter(isUsers));
  }
  return lines;
}

const ownFolder = import.meta.url.slice(0, import.meta.url.lastIndexOf('/') + 1);

function isUsers(line) {
  if (!line.startsWith('    at ')) return true;
  return !line.includes(ownFolder) && !/\bnode:/.test(line) && !/^ {4}at new Promise \(<anonymous>\)$/.test(line);
}
