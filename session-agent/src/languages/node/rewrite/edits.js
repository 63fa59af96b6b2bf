let MagicString;

export async function loadEdits() {
  MagicString ??= (await import('magic-string')).default;
}

/** Collects changes to a source, in any order. Those that move nothing are cheap, since most steps have no others. */
export function createEdits(source) {
  const pads = [];
  const moves = [];
  return {
    source,
    /** Replaces a part by a text that is not longer, padded with blanks, so that all that follows keeps its position. */
    pad({ start, end }, replacement = '') {
      const rest = source.slice(start + replacement.length, end).replace(/[^\n\r\u2028\u2029]/g, ' ');
      if (start < end) pads.push({ start, end, padded: replacement + rest });
    },
    replace: ({ start, end }, replacement) => moves.push((text) => text.overwrite(start, end, replacement)),
    /** Inserts in front of a node and behind it. Both texts stay with a node that is moved. */
    wrap: ({ start, end }, before, after) =>
      moves.push((text) => text.prependRight(start, before).appendLeft(end, after)),
    insert: (at, inserted) => moves.push((text) => text.appendLeft(at, inserted)),
    move: ({ start, end }, to) => moves.push((text) => text.move(start, end, to)),
    /** Returns `{code, map}`. `map` makes a source map, or is null if no character has moved. */
    finish() {
      if (moves.length === 0) return { code: padded(source, pads), map: null };
      const text = new MagicString(source);
      for (const { start, end, padded } of pads) text.overwrite(start, end, padded);
      for (const change of moves) change(text);
      return { code: text.toString(), map: () => text.generateMap({ hires: true }) };
    },
  };
}

function padded(source, pads) {
  let code = '';
  let from = 0;
  for (const { start, end, padded } of pads.sort((one, other) => one.start - other.start)) {
    code += source.slice(from, start) + padded;
    from = end;
  }
  return code + source.slice(from);
}
