import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { agentArchiveOperations } from './agent/archive-operations.ts';
import { agentContextOperations } from './agent/context-operations.ts';
import { agentFileOperations } from './agent/file-operations.ts';
import { agentSessionOperations } from './agent/session-operations.ts';
import { agentStepOperations } from './agent/step-operations.ts';
import { agentDocument, publicDocument } from './document.ts';
import { apiKeyOperations } from './public/api-key-operations.ts';
import { archiveOperations } from './public/archive-operations.ts';
import { artifactOperations } from './public/artifact-operations.ts';
import { contextOperations } from './public/context-operations.ts';
import { editorOperations } from './public/editor-operations.ts';
import { fileOperations } from './public/file-operations.ts';
import { serverOperations } from './public/server-operations.ts';
import { sessionOperations } from './public/session-operations.ts';
import { stepOperations } from './public/step-operations.ts';
import { stepStreamOperations } from './public/step-stream-operations.ts';

const committed = (name: string) => readFileSync(new URL(`../../openapi/${name}`, import.meta.url), 'utf8');
const agentOperations = [
  ...agentSessionOperations,
  ...agentStepOperations,
  ...agentContextOperations,
  ...agentFileOperations,
  ...agentArchiveOperations,
];
const publicOperations = [
  ...sessionOperations,
  ...stepOperations,
  ...stepStreamOperations,
  ...fileOperations,
  ...archiveOperations,
  ...artifactOperations,
  ...contextOperations,
  ...editorOperations,
  ...apiKeyOperations,
  ...serverOperations,
];

test.each([
  ['holdfast.json', publicDocument],
  ['session-agent.json', agentDocument],
])('the committed %s is what the schemas say today; `pnpm openapi` writes it anew', (name, document) => {
  expect(committed(name)).toBe(`${JSON.stringify(document(), null, 2)}\n`);
});

test.each([publicDocument(), agentDocument()])('every $ref of a document leads somewhere', (document) => {
  const text = JSON.stringify(document);
  const refs = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string);
  for (const name of refs) expect(document.components?.schemas).toHaveProperty(name);
});

test.each([
  ['public API', publicOperations],
  ['agent API', agentOperations],
])('every operation of the %s has an id, a path and parameters of its own', (_, operations) => {
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  expect(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size).toBe(operations.length);
  for (const { path, params } of operations) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(params?.shape ?? {})).toEqual(names);
  }
});

test.each(
  [...publicOperations, ...agentOperations].map(
    (operation) => [`${operation.method} ${operation.path}`, operation] as const,
  ),
)('the examples of %s are valid', (_, { body, answers, params, query, headers }) => {
  body?.schema.parse(body.example);
  for (const { content } of Object.values(answers)) {
    for (const media of Object.values(content ?? {})) {
      if (!media || !('schema' in media) || media.example === undefined) continue;
      if (media.schema instanceof z.ZodType) media.schema.parse(media.example);
    }
  }
  for (const parameters of [params, query, headers]) {
    for (const parameter of Object.values(parameters?.shape ?? {}))
      parameter.parse(z.globalRegistry.get(parameter)?.example);
  }
});

test('a step that has no error may say so: what is nullable in the schema is nullable in the document', () => {
  const step = publicDocument().components?.schemas?.Step as { properties: Record<string, { type?: unknown }> };
  expect(step.properties.error?.type).toEqual(['object', 'null']);
  expect(step.properties.cause?.type).toEqual(['object', 'null']);
});
