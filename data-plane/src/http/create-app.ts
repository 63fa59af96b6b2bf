import { Hono } from 'hono';
import { answerProblem } from './edge/answer-problem.ts';
import { answerPreflight } from './edge/cross-origin.ts';
import type { DirectAnswers } from './edge/direct-context.ts';
import type { EdgeApp, EdgeEnv } from './edge/edge.ts';
import { observeRequest } from './edge/observe-request.ts';
import { refuseDotSegments } from './edge/refuse-dot-segments.ts';
import { refuseUnknown } from './edge/refuse-unknown.ts';
import { serveResourceMetadata } from './edge/resource-metadata.ts';
import { serveMcp } from './mcp/server/serve-mcp.ts';
import { serverOperations } from './server-operations.ts';
import { apiKeyOperations } from './v1/api-key-operations.ts';
import { archiveOperations } from './v1/archive-operations.ts';
import { artifactOperations } from './v1/artifact-operations.ts';
import { commOperations } from './v1/comm-operations.ts';
import { contextOperations } from './v1/context-operations.ts';
import { directStep } from './v1/direct-step.ts';
import { exportOperations } from './v1/export-operations.ts';
import { fileEventOperations } from './v1/file-event-operations.ts';
import { fileOperations } from './v1/file-operations.ts';
import { auditOperations } from './v1/host/audit-operations.ts';
import { budgetOperations } from './v1/host/budget-operations.ts';
import { calledOperations } from './v1/host/called-operations.ts';
import { shareOperations } from './v1/host/share-operations.ts';
import { jobOperations } from './v1/jobs/job-operations.ts';
import { runOperations } from './v1/jobs/run-operations.ts';
import { languageOperations } from './v1/language-operations.ts';
import { namedSnapshotOperations } from './v1/named-snapshot-operations.ts';
import { portOperations } from './v1/ports/port-operations.ts';
import { channelOperations } from './v1/processes/channel/channel-operations.ts';
import { processOperations } from './v1/processes/process-operations.ts';
import { processStreamOperations } from './v1/processes/process-stream-operations.ts';
import { proposalOperations } from './v1/proposal-operations.ts';
import { sessionEventOperations } from './v1/session-event-operations.ts';
import { sessionOperations } from './v1/session-operations.ts';
import { snapshotOperations } from './v1/snapshot-operations.ts';
import { stateOperations } from './v1/state-operations.ts';
import { stepOperations } from './v1/step-operations.ts';
import { stepStreamOperations } from './v1/step-stream-operations.ts';
import type { V1 } from './v1/verbs.ts';
import { webhookOperations } from './v1/webhooks/webhook-operations.ts';

export type AppDependencies = Omit<V1, keyof typeof defaults | 'authenticate'> & Partial<typeof defaults>;

const defaults = {
  tokenIssuer: null as V1['tokenIssuer'],
  corsOrigins: new Set<string>() as ReadonlySet<string>,
  servesMetrics: true,
  bodyBytesMax: 8 * 1024 * 1024,
  bodyMs: 60_000,
  stalledWriterMs: 60_000,
  heartbeatMs: 15_000,
};

/** The public HTTP API as one app; `serveApp` puts it on a port. */
export function createApp(dependencies: AppDependencies): EdgeApp & DirectAnswers {
  const edge: V1 = { ...defaults, ...dependencies, authenticate: dependencies.verbs.authenticate };
  const app = new Hono<EdgeEnv>();
  app.onError(answerProblem);
  app.use(observeRequest(edge), answerPreflight(edge), refuseDotSegments());
  sessionOperations(app, edge);
  budgetOperations(app, edge);
  sessionEventOperations(app, edge);
  shareOperations(app, edge);
  stepOperations(app, edge);
  stepStreamOperations(app, edge);
  calledOperations(app, edge);
  processOperations(app, edge);
  processStreamOperations(app, edge);
  channelOperations(app, edge);
  runOperations(app, edge);
  jobOperations(app, edge);
  webhookOperations(app, edge);
  contextOperations(app, edge);
  stateOperations(app, edge);
  snapshotOperations(app, edge);
  namedSnapshotOperations(app, edge);
  proposalOperations(app, edge);
  exportOperations(app, edge);
  commOperations(app, edge);
  languageOperations(app, edge);
  fileEventOperations(app, edge);
  fileOperations(app, edge);
  archiveOperations(app, edge);
  portOperations(app, edge);
  artifactOperations(app, edge);
  auditOperations(app, edge);
  apiKeyOperations(app, edge);
  serveMcp(app, edge);
  serveResourceMetadata(app, edge);
  serverOperations(app, edge);
  app.notFound(refuseUnknown(app));
  return Object.assign(app, directStep(edge));
}
