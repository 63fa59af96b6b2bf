import openapi from '@holdfast/specs/openapi.json' with { type: 'json' };
import { problems } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { docsPage } from './docs-page.ts';
import { endpointsOf, type OpenApi } from './open-api.ts';

const document = openapi as unknown as OpenApi;
const page = docsPage(document)('http://127.0.0.1:4321');

test('the page has every endpoint and every problem, and all of its links have a target', () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { operation } of endpointsOf(document)) expect(ids).toContain(operation.operationId);
  for (const slug of Object.keys(problems)) expect(ids).toContain(`problem-${slug}`);
  for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
});

test('the page needs no script and loads nothing', () => {
  expect(page).not.toMatch(/<script|<link|<img|@import|url\(|src=/);
});

test('the commands name the requested server, or a default if its name contains markup', () => {
  expect(page).toContain('HOLDFAST=http://127.0.0.1:4321\n');
  expect(docsPage(document)('http://a"><b>')).toContain('HOLDFAST=http://127.0.0.1:8080\n');
});

test('markup in the document appears as text on the page', () => {
  const [[path, item]] = Object.entries(document.paths) as [[string, OpenApi['paths'][string]]];
  const [[method, operation]] = Object.entries(item) as [[string, (typeof item)[string]]];
  const hostile = { ...operation, summary: '<b onclick="x">' };
  expect(docsPage({ ...document, paths: { [path]: { [method]: hostile } } })('http://a')).not.toContain('<b onclick');
});
