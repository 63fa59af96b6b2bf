import { declarationNames, isLexical, varDeclarations } from './declared-names.js';

/** Tells what a program declares at its top level: nodes by their kind, and the names that they bind. */
export function topLevelOf(program) {
  const nodes = program.body.map(withoutExport);
  const variables = nodes.filter(isLexical);
  const classes = nodes.filter(({ type, id }) => type === 'ClassDeclaration' && id);
  const functions = nodes.filter(({ type, id }) => type === 'FunctionDeclaration' && id);
  const vars = nodes.flatMap((node) => [...varDeclarations(node)]);
  const imports = program.body.filter(({ type }) => type === 'ImportDeclaration');
  const names = {
    constantNames: namesOf(variables.filter(({ kind }) => kind !== 'let')),
    lexicalNames: new Set([...namesOf(variables), ...idsOf(classes)]),
    varNames: namesOf(vars.map(({ declaration }) => declaration)),
    functionNames: idsOf(functions),
    importedNames: new Set(imports.flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name))),
  };
  return { variables, classes, functions, vars, imports, ...names };
}

/** Returns all names that a top level declares. */
export function declaredBy({ lexicalNames, varNames, functionNames, importedNames }) {
  return new Set([...lexicalNames, ...varNames, ...functionNames, ...importedNames]);
}

/** Returns the position at which the code of a program begins: after its directives and after functions, which come first anyway. */
export function beginOf(program) {
  const first = program.body.find((node) => !node.directive && node.type !== 'FunctionDeclaration');
  return first?.start ?? program.end;
}

/** Returns what an `export` declares, or else the node itself. */
export function withoutExport(node) {
  const isExport = node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration';
  return (isExport && node.declaration) || node;
}

function namesOf(declarations) {
  return new Set(declarations.flatMap(declarationNames));
}

function idsOf(nodes) {
  return new Set(nodes.map(({ id }) => id.name));
}
