import {
  isCallExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast';
import { type CallGraph, nodesIn } from './call-graph.ts';

/** One `app.get(path, …handlers)`: what the code serves under a method and a path. */
export type ServedOperation = { name: string; handlers: readonly Node[] };

const methods = new Set(['get', 'put', 'post', 'patch', 'delete']);

/** All operations that the `*-operations.ts` files below a folder register, by `method /path/{}`. */
export function servedOperations(graph: CallGraph, folder: string): ServedOperation[] {
  const files = graph.files.filter((file) => file.includes(folder) && file.endsWith('-operations.ts'));
  return files.flatMap((file) => {
    const source = graph.sourceOf(file);
    return [...nodesIn(source)].flatMap((node) => {
      if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return [];
      const { name, expression } = node.expression;
      const [path, ...handlers] = node.arguments;
      if (!path || !methods.has(name.text) || expression.getText() !== 'app') return [];
      return [{ name: `${name.text} ${templateOf(textOf(path, source))}`, handlers }];
    });
  });
}

/** `/files/:path` and `/files/*` as `/files/{}`. */
const templateOf = (path: string) => path.replace(/:\w+|\*/g, '{}');

/** The text of a path that is a literal, a constant of the file, or a template of both. */
function textOf(path: Node, source: Node): string {
  if (isStringLiteral(path) || isNoSubstitutionTemplateLiteral(path)) return path.text;
  if (isTemplateExpression(path)) {
    return (
      path.head.text + path.templateSpans.map((span) => textOf(span.expression, source) + span.literal.text).join('')
    );
  }
  if (isIdentifier(path)) {
    for (const node of nodesIn(source)) {
      if (isVariableDeclaration(node) && node.name.getText() === path.text && node.initializer)
        return textOf(node.initializer, source);
    }
  }
  throw new Error(`${path.getText()} is not a path that can be read without running the code`);
}
