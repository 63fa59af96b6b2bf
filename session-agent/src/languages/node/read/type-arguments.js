const beforeArguments = /[^=]>\s*(?:[(`]|\/[/*])/g;
const comments = /\/\*[\s\S]*?\*\/|\/\/.*/g;
const closing = new Set(['>', '>>', '>>>']);

/**
 * Whether JavaScript could read the source in another way than TypeScript, whose reading comes first: `f<T>(x)` is a call. The only such
 * source has type arguments before a parenthesis or a template. This look costs less than to parse, and finds too many.
 */
export function mayHaveTypeArguments(source) {
  const at = source.indexOf('<');
  if (at === -1) return false;
  beforeArguments.lastIndex = at;
  return beforeArguments.test(source);
}

/** Whether what JavaScript reads as two comparisons, `f < T` and `T > (x)`, could be type arguments. */
export function hasTypeArguments(program, source) {
  const comparisons = [...nodesOf(program)].filter(({ type }) => type === 'BinaryExpression');
  const opened = comparisons.filter(({ operator }) => operator === '<').map(({ left }) => left.end);
  const opensAt = Math.min(...opened);
  return comparisons.some(({ operator, left, right }) => {
    if (!closing.has(operator) || left.end < opensAt) return false;
    const between = source.slice(left.end, right.start).replace(comments, '').trimEnd();
    return between.endsWith('(') || source[right.start] === '(' || source[right.start] === '`';
  });
}

function* nodesOf(node) {
  yield node;
  for (const key in node) {
    for (const child of [node[key]].flat()) if (typeof child?.type === 'string') yield* nodesOf(child);
  }
}
