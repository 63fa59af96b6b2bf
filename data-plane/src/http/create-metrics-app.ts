import { Hono } from 'hono';
import type { Metrics } from '../observability/metrics.ts';
import type { EdgeApp, EdgeEnv } from './edge/edge.ts';

/** The app for the port that only monitoring reaches. */
export function createMetricsApp(metrics: Pick<Metrics, 'exposition'>): EdgeApp {
  const app = new Hono<EdgeEnv>();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/metrics', answerMetrics(metrics));
  return app;
}

/** The metrics of this replica in the text format of Prometheus. */
export const answerMetrics = (metrics: Pick<Metrics, 'exposition'>) => async (): Promise<Response> => {
  const { contentType, text } = await metrics.exposition();
  return new Response(text, { headers: { 'Content-Type': contentType } });
};
