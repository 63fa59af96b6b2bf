/**
 * Leaves out the word `export`, so that a module that is pasted as a step runs and its declarations are names of the context. The
 * value of `export default` is a value like that of any other expression.
 */
export function dropExports(edits, program) {
  for (const node of program.body) {
    const { type, declaration, source, start } = node;
    if (source) continue;
    if (type === 'ExportNamedDeclaration') edits.pad({ start, end: declaration?.start ?? node.end });
    if (type !== 'ExportDefaultDeclaration') continue;
    edits.pad({ start, end: declaration.start });
    const isDeclared = declaration.type.endsWith('Declaration') && declaration.id;
    if (!isDeclared) edits.wrap(declaration, '(', ')');
  }
}
