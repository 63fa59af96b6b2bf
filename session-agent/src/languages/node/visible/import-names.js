/** What stands in a step for `import(…)` and `import.meta`: exactly as long, so that columns stay what they are. */
export const importHelper = '$impt$';
export const metaHelper = '$importmeta';
/** What an `import` statement calls: `(specifier, attributes, names)` gives the module, which has to export the names. */
export const statementHelper = '$imports$';
