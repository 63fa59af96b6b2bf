/** A manifest or a report with longer lists is refused as a whole. */
const namesMax = 10_000;

/** The first names of a list. */
export const firstNames = (names) => names.slice(0, namesMax);

/** The first of a list of names with reasons. `*` stands for the rest, so that no loss is left out. */
export function firstReasons(list) {
  if (list.length <= namesMax) return list;
  return [...list.slice(0, namesMax - 1), { name: '*', reason: 'There are more names than a report can show.' }];
}
