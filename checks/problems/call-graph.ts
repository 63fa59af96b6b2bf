import {
  isArrowFunction,
  isAsExpression,
  isBindingElement,
  isCallExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isTypeNode,
  isVariableDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
  type VariableDeclaration,
} from 'typescript/unstable/ast';
import { API, type Project, SignatureKind, type Symbol as TsSymbol } from 'typescript/unstable/sync';

/** The compiler's view of the sources: which declaration a name in an expression means. */
export type CallGraph = ReturnType<typeof openCallGraph>;

/** Folders whose interfaces have their implementations in these folders; those of any other are given by the composition in `start`. */
const implementations: Readonly<Record<string, string>> = {
  runtimes: 'runtimes',
  contents: 'contents',
  keys: 'keys',
  agent: 'keys',
};
const ours = /\/(data-plane|session-agent|specs|connections)\/src\/(?!.*\.test\.ts$)/;

/** Opens the project at `root` with the compiler that checks its types. Close it. */
export function openCallGraph(root: string) {
  const api = new API({ cwd: root });
  const project = api.updateSnapshot({ openProject: `${root}/tsconfig.json` }).getProjects()[0] as Project;
  const { checker, program } = project;
  const files = program.getSourceFileNames().filter((name) => ours.test(name));
  const sourceOf = (name: string) => program.getSourceFile(name) as SourceFile;
  const symbols = new Map<Node, TsSymbol | undefined>();
  const read = new Set<SourceFile>();
  const named = new Map<string, { name: string; code: Node }[]>();

  /** The functions of this name in the objects and classes of the first of these places that has some. */
  function membersOf(places: readonly string[], name: string): Node[] {
    for (const place of places) {
      const within = files.filter((file) => file.includes(place) && !file.endsWith('/start-data-plane.ts'));
      const members = named.get(place) ?? within.flatMap((file) => [...namedFunctionsIn(sourceOf(file))]);
      named.set(place, members);
      const found = members.filter((member) => member.name === name).map(({ code }) => code);
      if (found.length > 0) return found;
    }
    return [];
  }

  function symbolOf(name: Node): TsSymbol | undefined {
    const file = name.getSourceFile();
    if (!read.has(file)) {
      read.add(file);
      const names = [...nodesIn(file)].filter(
        (node) => isIdentifier(node) || node.kind === SyntaxKind.PrivateIdentifier,
      );
      const found = checker.getSymbolAtLocation(names);
      for (const [index, node] of names.entries()) symbols.set(node, found[index]);
    }
    if (isShorthandPropertyAssignment(name.parent)) return checker.getShorthandAssignmentValueSymbol(name.parent);
    return symbols.get(name);
  }

  /** The code that a name in an expression may run: functions, the initializer of a constant, classes. */
  function targetsOf(name: Node): Node[] {
    let symbol = symbolOf(name);
    if (symbol?.declarations.some(({ kind }) => kind === SyntaxKind.ImportSpecifier))
      symbol = checker.getAliasedSymbol(symbol);
    if (!symbol) return [];
    const declarations = symbol.declarations.filter(({ path }) => ours.test(path));
    return declarations.flatMap((handle) => codeOf(handle.resolve(project) as Node, symbol as TsSymbol));
  }

  const signaturesOf = (symbol: TsSymbol) => {
    const type = checker.getTypeOfSymbol(symbol);
    return type ? checker.getSignaturesOfType(type, SignatureKind.Call) : [];
  };
  const isCallable = (symbol: TsSymbol) => signaturesOf(symbol).length > 0;

  function codeOf(declaration: Node, symbol: TsSymbol): Node[] {
    switch (declaration.kind) {
      case SyntaxKind.PropertySignature:
      case SyntaxKind.MethodSignature:
        return isCallable(symbol) ? membersOf(implementationsOf(declaration), symbol.name) : [];
      case SyntaxKind.BindingElement: {
        if (!isBindingElement(declaration)) return [];
        const name = (declaration.propertyName ?? declaration.name)?.getText() ?? '';
        return signaturesOf(symbol).flatMap(({ declaration: handle }) => {
          const code = handle && ours.test(handle.path) ? handle.resolve(project) : undefined;
          if (!code) return [];
          return isFunction(code) ? [code] : membersOf(implementationsOf(code), name);
        });
      }
      case SyntaxKind.VariableDeclaration:
        return isVariableDeclaration(declaration) && isCode(declaration) ? [declaration.initializer as Node] : [];
      case SyntaxKind.PropertyAssignment:
        return isPropertyAssignment(declaration) && isCallable(symbol) ? [declaration.initializer] : [];
      case SyntaxKind.FunctionDeclaration:
      case SyntaxKind.MethodDeclaration:
      case SyntaxKind.GetAccessor:
      case SyntaxKind.PropertyDeclaration:
        return [declaration];
      case SyntaxKind.ClassDeclaration:
        return [];
      default:
        return [];
    }
  }

  return { files, sourceOf, symbolOf, targetsOf, close: () => api.close() };
}

/** The places in which what implements a signature is looked for by its name, the likeliest first. */
function implementationsOf(signature: Node): string[] {
  const { fileName } = signature.getSourceFile();
  const [, part = '', folder = ''] = /\/(session-agent|data-plane)\/src\/(\w+)/.exec(fileName) ?? [];
  if (part === 'session-agent') return [fileName, '/session-agent/src/start/', '/session-agent/src/'];
  return [`/data-plane/src/${implementations[folder] ?? 'start'}/`];
}

export const isFunction = (node: Node): boolean =>
  isFunctionDeclaration(node) ||
  isFunctionExpression(node) ||
  isArrowFunction(node) ||
  node.kind === SyntaxKind.MethodDeclaration;

/** A constant that is a function or a request to an agent, a table of a module, or made by a function of the HTTP surface, as a middleware is. */
function isCode({ initializer, parent }: VariableDeclaration): boolean {
  if (!initializer) return false;
  if (countsAtItsName(initializer)) return true;
  if (isObjectLiteralExpression(initializer)) return parent.parent.parent.kind === SyntaxKind.SourceFile;
  return isCallExpression(initializer) && /\/http\//.test(initializer.getSourceFile().fileName);
}

/** Whether a constant has its effect only when it is used: a function, or a request such as `{ method, path }`. */
export function countsAtItsName(initializer: Node): boolean {
  const value = isAsExpression(initializer) ? initializer.expression : initializer;
  return (
    isFunction(value) ||
    (isObjectLiteralExpression(value) &&
      value.properties.some((one) => isPropertyAssignment(one) && one.name.getText() === 'method'))
  );
}

function* namedFunctionsIn(file: SourceFile): Generator<{ name: string; code: Node }> {
  for (const node of nodesIn(file)) {
    if (node.kind === SyntaxKind.MethodDeclaration)
      yield { name: (node as unknown as { name: { text: string } }).name.text, code: node };
    if (isPropertyAssignment(node) && !isObjectLiteralExpression(node.initializer) && isIdentifier(node.name)) {
      yield { name: node.name.text, code: node.initializer };
    }
    if (isShorthandPropertyAssignment(node)) yield { name: node.name.getText(), code: node };
  }
}

/** All nodes below one, without those of types. */
export function* nodesIn(node: Node): Generator<Node> {
  if (isTypeNode(node)) return;
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
    return undefined;
  });
  for (const child of children) yield* nodesIn(child);
}

/** The last name of a callee: `add` of `deps.background.add(…)`. */
export const calleeName = (callee: Node): string =>
  isPropertyAccessExpression(callee) ? callee.name.text : isIdentifier(callee) ? callee.text : '';
