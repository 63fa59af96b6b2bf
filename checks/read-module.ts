import { parseAst } from 'vitest/node';

/** An import of a module. `typeOnly` imports vanish when the types are stripped. */
export type Import = { specifier: string; typeOnly: boolean };
export type ModuleFacts = { imports: Import[]; readsEnvironment: boolean };

type Node = { type: string; [field: string]: unknown };

/** Reads a TypeScript module's imports, re-exports, `import()`s and import types, and whether it looks at `process.env`. */
export function readModule(code: string): ModuleFacts {
  const facts: ModuleFacts = { imports: [], readsEnvironment: false };
  for (const node of nodesOf(parseAst(code, { lang: 'ts' }) as unknown as Node)) {
    const specifier = (node.source as { value?: unknown } | null | undefined)?.value;
    if (typeof specifier === 'string') facts.imports.push({ specifier, typeOnly: isTypeOnly(node) });
    if (readsEnvironment(node)) facts.readsEnvironment = true;
  }
  return facts;
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesOf(item);
  } else if (value && typeof value === 'object') {
    if (typeof (value as Node).type === 'string') yield value as Node;
    for (const field of Object.values(value)) yield* nodesOf(field);
  }
}

function isTypeOnly(node: Node): boolean {
  if (node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type') return true;
  const specifiers = (node.specifiers ?? []) as Node[];
  return specifiers.length > 0 && specifiers.every((one) => one.importKind === 'type' || one.exportKind === 'type');
}

/** `process.env`, `process['env']`, `{ env } = process` and `env` of `node:process`. */
function readsEnvironment(node: Node): boolean {
  const named = (field: unknown, name: string) =>
    (field as Node | undefined)?.name === name || (field as Node | undefined)?.value === name;
  if (node.type === 'MemberExpression') return named(node.object, 'process') && named(node.property, 'env');
  if (node.type === 'VariableDeclarator' && named(node.init, 'process')) {
    return ((node.id as Node).properties as Node[] | undefined)?.some((one) => named(one.key, 'env')) ?? false;
  }
  return node.type === 'ImportSpecifier' && named(node.imported, 'env');
}
