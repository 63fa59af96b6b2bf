/** The names that replace `import` in `import(…)`, and `import.meta`. They have the same length, so that columns stay the same. */
export const importHelper = '$impt$';
export const metaHelper = '$importmeta';
/** The function that replaces an `import` statement: `(specifier, attributes, names)` returns the module, which must export the names. */
export const statementHelper = '$imports$';
