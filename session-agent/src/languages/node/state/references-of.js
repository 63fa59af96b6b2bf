/** The numbers of the entities to which an entity refers. Some kinds have numbers of others at a fixed place, too. */
export function referencesOf(entity) {
  const [kind] = entity;
  const at = { member: 1, prototype: 1, scope: 1, class: 2, function: 3 }[kind];
  const placed = at === undefined || entity[at] === null ? [] : [entity[at]];
  // A list of one number is a value here.
  const parts = kind === 'list' || kind === 'set' ? [...entity[1], ...entity.slice(2)] : entity;
  return [...placed, ...parts.flatMap(referencesIn)];
}

/** References are lists of one number. */
function referencesIn(part) {
  if (!Array.isArray(part)) return [];
  const found = part.length === 1 && typeof part[0] === 'number' ? [part[0]] : [];
  return [...found, ...part.flatMap(referencesIn)];
}
