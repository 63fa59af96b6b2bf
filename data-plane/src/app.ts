import { Hono } from 'hono';
import { answerProblem } from './http/answer-problem.ts';
import { apiKeyRoutes } from './http/api-key-routes.ts';
import { archiveRoutes } from './http/archive-routes.ts';
import { artifactRoutes } from './http/artifact-routes.ts';
import { contextRoutes } from './http/context-routes.ts';
import type { Edge, EdgeApp, EdgeEnv } from './http/edge.ts';
import { fileRoutes } from './http/file-routes.ts';
import { observeRequest } from './http/observe-request.ts';
import { refuseDotSegments } from './http/refuse-dot-segments.ts';
import { refuseUnknown } from './http/refuse-unknown.ts';
import { runRoutes } from './http/run-routes.ts';
import { serverRoutes } from './http/server-routes.ts';
import { sessionRoutes } from './http/session-routes.ts';
import { stepRoutes } from './http/step-routes.ts';
import { stepStreamRoutes } from './http/step-stream-routes.ts';

export type AppDependencies = Omit<Edge, keyof typeof defaults> & Partial<Edge>;

const defaults = {
  bodyBytesMax: 8 * 1024 * 1024,
  bodyMs: 60_000,
  stalledWriterMs: 60_000,
  heartbeatMs: 15_000,
  stalledReaderMs: 10 * 60_000,
};

/** The public HTTP API as one app; `serveApp` puts it on a port. */
export function createApp(dependencies: AppDependencies): EdgeApp {
  const edge: Edge = { ...defaults, ...dependencies };
  const app = new Hono<EdgeEnv>();
  app.onError(answerProblem);
  app.use(observeRequest(edge), refuseDotSegments());
  sessionRoutes(app, edge);
  stepRoutes(app, edge);
  stepStreamRoutes(app, edge);
  runRoutes(app, edge);
  contextRoutes(app, edge);
  fileRoutes(app, edge);
  archiveRoutes(app, edge);
  artifactRoutes(app, edge);
  apiKeyRoutes(app, edge);
  serverRoutes(app, edge);
  app.notFound(refuseUnknown(app));
  return app;
}
