const lexicalKinds = new Set(['let', 'const', 'using', 'await using']);

/** Yields the identifiers that a pattern binds. */
export function* boundIdentifiers(pattern) {
  if (pattern === null) return;
  if (pattern.type === 'Identifier') yield pattern;
  else if (pattern.type === 'RestElement') yield* boundIdentifiers(pattern.argument);
  else if (pattern.type === 'AssignmentPattern') yield* boundIdentifiers(pattern.left);
  else if (pattern.type === 'ArrayPattern') for (const element of pattern.elements) yield* boundIdentifiers(element);
  else for (const property of pattern.properties) yield* boundIdentifiers(property.value ?? property.argument);
}

/** Returns the names that patterns bind. */
export function patternNames(patterns) {
  return patterns.flatMap((pattern) => [...boundIdentifiers(pattern)].map(({ name }) => name));
}

/** Returns the names that a variable declaration binds. */
export function declarationNames({ declarations }) {
  return patternNames(declarations.map(({ id }) => id));
}

export function isLexical(node) {
  return node?.type === 'VariableDeclaration' && lexicalKinds.has(node.kind);
}

/** Returns the names that statements declare for their own block: `let`, `const`, classes and functions. */
export function lexicalNames(statements) {
  return statements.flatMap((node) => {
    if (isLexical(node)) return declarationNames(node);
    if (node.type === 'LabeledStatement') return lexicalNames([node.body]);
    return node.type === 'ClassDeclaration' || node.type === 'FunctionDeclaration' ? [node.id.name] : [];
  });
}

/** Yields the `var` declarations in a statement, each with `isLoopHead`. */
export function* varDeclarations(node, isLoopHead = false) {
  if (node.type === 'VariableDeclaration') {
    if (!isLexical(node)) yield { declaration: node, isLoopHead };
    return;
  }
  if (isOwnScope(node)) return;
  for (const head of [node.init, node.left])
    if (head?.type === 'VariableDeclaration') yield* varDeclarations(head, true);
  for (const child of nestedStatements(node)) yield* varDeclarations(child);
}

/** Yields the names of functions in blocks of a statement. Sloppy code sees them in the whole function (ECMA-262 B.3.2). */
export function* blockFunctions(node, isNested = false) {
  if (node.type === 'FunctionDeclaration' && isNested) yield node.id.name;
  if (isOwnScope(node)) return;
  for (const child of nestedStatements(node)) yield* blockFunctions(child, true);
}

function isOwnScope({ type }) {
  return type.startsWith('Function') || type.startsWith('Class');
}

/** Returns the statements directly in a statement. No expression can hold a `var` of the function around it. */
function nestedStatements({ type, body, consequent, alternate, block, handler, finalizer, cases }) {
  if (type.endsWith('Expression') || type === 'ExpressionStatement') return [];
  return [body, consequent, alternate, block, handler, finalizer, cases].flat().filter(Boolean);
}
