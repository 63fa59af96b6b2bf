import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';

const document = join(import.meta.dirname, '../../specs/openapi/holdfast.json');
const folder = join(import.meta.dirname, 'src/generated');

type Answers = Record<string, { content?: Record<string, unknown> }>;
type Operation = { parameters?: { name: string }[]; responses: Answers };
type Document = { paths: Record<string, Record<string, Operation>> };

/** The types of the API, and the operations that take an `Idempotency-Key`, as texts by file name. */
export async function generate(text?: string): Promise<Record<string, string>> {
  const api = JSON.parse(text ?? (await readFile(document, 'utf8'))) as Document;
  const keyed: string[] = [];
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      operation.responses = withoutProblems(operation.responses);
      if (operation.parameters?.some(({ name }) => name === 'Idempotency-Key')) {
        keyed.push(`${method.toUpperCase()} ${path}`);
      }
    }
  }
  const types = await openapiTypescript(api as unknown as OpenAPI3, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    // A field with a default may be left out of a request.
    defaultNonNullable: false,
  });
  return {
    'api.ts': `// Generated from the OpenAPI document by \`npm run generate\`.\n\n${astToString(withNames(types))}`,
    'keyed-operations.ts': `// Generated from the OpenAPI document by \`npm run generate\`.

/** The operations that do nothing twice if a request with the same \`Idempotency-Key\` is repeated. */
export const keyedOperations: ReadonlySet<string> = new Set([
${keyed.map((operation) => `  '${operation}',\n`).join('')}]);
`,
  };
}

/** Problems are thrown, and streams are read by hand: what is left are the answers that a call returns. */
function withoutProblems(responses: Answers): Answers {
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 300);
  for (const [, { content }] of answers) {
    if (!content?.['application/json']) continue;
    for (const type of Object.keys(content)) if (type !== 'application/json') delete content[type];
  }
  return Object.fromEntries(answers);
}

/**
 * Declares each schema under its own name, to which `components` refers. Editors and the reference then show `Step` and not all its fields: a
 * type has the name under which it is written out, and an alias of `components['schemas']['Step']` gives it none.
 */
function withNames(types: ts.Node[]): ts.Node[] {
  const { factory } = ts;
  const schemas = new Map<string, ts.PropertySignature>();
  /** Takes the schemas out of `components`, and leaves their names there. */
  const rename: ts.Visitor = (node) => {
    if (!ts.isPropertySignature(node) || !ts.isIdentifier(node.name)) return node;
    schemas.set(node.name.text, node);
    return factory.createPropertySignature(undefined, node.name, undefined, factory.createTypeReferenceNode(node.name));
  };
  const renameSchemas: ts.Visitor = (node) =>
    ts.isPropertySignature(node) && ts.isIdentifier(node.name) && node.name.text === 'schemas'
      ? ts.visitEachChild(node, (type) => ts.visitEachChild(type, rename, undefined), undefined)
      : node;
  const isComponents = (node: ts.Node) => ts.isInterfaceDeclaration(node) && node.name.text === 'components';
  const renamed = types.map((node) => (isComponents(node) ? ts.visitEachChild(node, renameSchemas, undefined) : node));
  return renamed.map((node) => {
    const schema = ts.isTypeAliasDeclaration(node) ? schemas.get(node.name.text) : undefined;
    if (!schema?.type || !ts.isTypeAliasDeclaration(node)) return node;
    const named = factory.createTypeAliasDeclaration(node.modifiers, node.name, undefined, schema.type);
    return ts.setSyntheticLeadingComments(named, ts.getSyntheticLeadingComments(schema));
  });
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await generate())) await writeFile(join(folder, name), text);
}
