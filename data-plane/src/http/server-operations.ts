import openapi from '@holdfast/specs/openapi.json' with { type: 'json' };
import { answerMetrics } from './create-metrics-app.ts';
import { docsPage } from './docs/docs-page.ts';
import type { OpenApi } from './docs/open-api.ts';
import type { EdgeApp } from './edge/edge.ts';
import type { V1 } from './v1/verbs.ts';

/** The page has no script and loads nothing. */
const docsPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Operations that need no key: for probes, monitoring and readers. */
export function serverOperations(app: EdgeApp, { verbs, metrics, servesMetrics }: V1): void {
  const openapiJson = JSON.stringify(openapi);
  const docs = docsPage(openapi as unknown as OpenApi);

  app.get('/healthz', (c) => c.json({ status: 'ok' }));

  app.get('/readyz', async (c) => {
    const readiness = await verbs.readiness();
    return c.json(readiness, readiness.ready ? 200 : 503);
  });

  if (servesMetrics) app.get('/metrics', answerMetrics(metrics));

  app.get('/openapi.json', (c) => c.body(openapiJson, 200, { 'Content-Type': 'application/json' }));

  app.get('/docs', (c) => {
    c.header('Content-Security-Policy', docsPolicy);
    c.header('Referrer-Policy', 'no-referrer');
    return c.html(docs(new URL(c.req.url).origin));
  });
}
