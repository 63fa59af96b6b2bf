import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { agentDocument, agentOperations, publicDocument, publicOperations } from './document.ts';

const committed = (name: string) => readFileSync(new URL(`../../openapi/${name}`, import.meta.url), 'utf8');

test.each([
  ['holdfast.json', publicDocument],
  ['session-agent.json', agentDocument],
])('the committed %s matches the schemas; `npm run openapi` writes it again', (name, document) => {
  expect(committed(name)).toBe(`${JSON.stringify(document(), null, 2)}\n`);
});

test.each([publicDocument(), agentDocument()])('every $ref in a document has a target', (document) => {
  const text = JSON.stringify(document);
  const refs = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string);
  for (const name of refs) expect(document.components?.schemas).toHaveProperty(name);
});

test.each([
  ['public API', publicOperations],
  ['agent API', agentOperations],
])('every operation of the %s has a unique id, a unique path and the parameters of its path', (_, operations) => {
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

test('fields that are nullable in the schema are nullable in the document', () => {
  const step = publicDocument().components?.schemas?.Step as { properties: Record<string, { type?: unknown }> };
  expect(step.properties.error?.type).toEqual(['object', 'null']);
  expect(step.properties.cause?.type).toEqual(['object', 'null']);
});

test('a field that takes any JSON value is required, and its objects and arrays may have any parts', () => {
  const result = publicDocument().components?.schemas?.OperationResult;
  const value = { items: {}, additionalProperties: true };
  expect(result).toMatchObject({ anyOf: [{ required: ['value'], properties: { value } }, {}] });
});

test('a request with a body waits by a field of it, and only one without by its query', () => {
  const waiting = publicOperations.filter(({ query }) => query?.shape.waitSeconds);
  expect(waiting.map(({ body, operationId }) => body && operationId).filter(Boolean)).toEqual([]);
  expect(waiting.length).toBeGreaterThan(2);
});

test('every operation that answers 201 has a body in JSON and the header Location', () => {
  const creating = publicOperations.filter(({ answers }) => answers[201]);
  expect(creating.length).toBeGreaterThan(10);
  for (const { operationId, answers } of creating) {
    expect(answers[201]?.content, operationId).toHaveProperty('application/json');
    expect(answers[201]?.headers?.shape, operationId).toHaveProperty('Location');
  }
});
