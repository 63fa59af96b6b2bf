import { Hono } from 'hono';
import { answerProblem } from './http/answer-problem.ts';
import { apiKeyRoutes } from './http/api-key-routes.ts';
import { contextRoutes } from './http/context-routes.ts';
import type { Edge, EdgeApp, EdgeEnv } from './http/edge.ts';
import { observeRequest } from './http/observe-request.ts';
import { refuseUnknown } from './http/refuse-unknown.ts';
import { serverRoutes } from './http/server-routes.ts';
import { sessionRoutes } from './http/session-routes.ts';
import { stepRoutes } from './http/step-routes.ts';
import { stepStreamRoutes } from './http/step-stream-routes.ts';

export type AppDependencies = Omit<Edge, 'bodyBytesMax' | 'heartbeatMs' | 'stalledReaderMs'> & Partial<Edge>;

const defaults = { bodyBytesMax: 8 * 1024 * 1024, heartbeatMs: 15_000, stalledReaderMs: 10 * 60_000 };

/** The public HTTP API as one app; `serveApp` puts it on a port. */
export function createApp(dependencies: AppDependencies): EdgeApp {
  const edge: Edge = { ...defaults, ...dependencies };
  const app = new Hono<EdgeEnv>();
  app.onError(answerProblem);
  app.use(observeRequest(edge));
  sessionRoutes(app, edge);
  stepRoutes(app, edge);
  stepStreamRoutes(app, edge);
  contextRoutes(app, edge);
  apiKeyRoutes(app, edge);
  serverRoutes(app, edge);
  app.notFound(refuseUnknown(app));
  return app;
}
