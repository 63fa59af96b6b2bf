import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type AppDependencies, createApp } from './create-app.ts';

const document = JSON.parse(
  readFileSync(new URL('../../../specs/openapi/session-agent.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, unknown>> };

test('serves exactly the operations of the OpenAPI document', () => {
  // Dependencies are used only when a request comes.
  const app = createApp({ log: () => {} } as unknown as AppDependencies);
  const registered = app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((key) => /^(get|put|post|patch|delete)$/.test(key))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(registered.toSorted()).toEqual(documented.toSorted());
});
