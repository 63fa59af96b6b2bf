/** Returns the symbol of an expression such as `Symbol.iterator`, which has the same value at any time, or null. */
export function wellKnownSymbol({ type, computed, object, property }) {
  if (type !== 'MemberExpression' || computed || object.name !== 'Symbol') return null;
  return typeof Symbol[property.name] === 'symbol' ? Symbol[property.name] : null;
}
