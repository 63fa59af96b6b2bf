/**
 * The place of the first fault in a JSON text (RFC 8259), as `line 1, column 6`, or null if the text is JSON. The engine's own message
 * would quote what the client sent.
 */
export function malformedAt(text: string): string | null {
  const at = firstFault(text);
  if (at === null) return null;
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

/** The tokens that may come next. `after` follows a value: a comma, the end of an array or object, or the end of the text. */
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'after';

function firstFault(text: string): number | null {
  const open: string[] = [];
  let expected: Expected = 'value';
  for (let at = endOf(space, text, 0); ; ) {
    if (at === text.length) return expected === 'after' && open.length === 0 ? null : at;
    const first = text[at] as string;
    const end = '{}[],:'.includes(first) ? at + 1 : first === '"' ? endOfString(text, at) : endOf(scalar, text, at);
    const next: Expected | null = end > at ? follow(expected, open, first) : null;
    if (!next) return at;
    expected = next;
    at = endOf(space, text, end);
  }
}

/** Takes the token that begins with `first`; null if no token may begin with it here. */
function follow(expected: Expected, open: string[], first: string): Expected | null {
  const wantsValue = expected === 'value' || expected === 'value or ]';
  switch (first) {
    case '{':
    case '[':
      if (!wantsValue) return null;
      open.push(first);
      return first === '{' ? 'key or }' : 'value or ]';
    case '}':
      return (expected === 'key or }' || expected === 'after') && open.pop() === '{' ? 'after' : null;
    case ']':
      return (expected === 'value or ]' || expected === 'after') && open.pop() === '[' ? 'after' : null;
    case ',':
      if (expected !== 'after' || open.length === 0) return null;
      return open.at(-1) === '{' ? 'key' : 'value';
    case ':':
      return expected === ':' ? 'value' : null;
    case '"':
      if (expected === 'key' || expected === 'key or }') return ':';
      return wantsValue ? 'after' : null;
    default:
      return wantsValue ? 'after' : null;
  }
}

const space = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const plain = /[^"\\\p{Cc}]*/uy;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The end of the match that begins at `at`, or `at` itself if there is none. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** As `endOf`; alternates between two simple patterns because one for the whole string would recurse over its length. */
function endOfString(text: string, at: number): number {
  for (let end = at + 1; ; ) {
    end = endOf(plain, text, end);
    if (text[end] === '"') return end + 1;
    const next = endOf(escaped, text, end);
    if (next === end) return at;
    end = next;
  }
}
