import { Problem } from '@holdfast/specs/public';
import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Authenticate } from '../auth/create-authenticate.ts';
import type { Binding } from '../auth/create-binding.ts';
import type { Identity } from '../auth/create-identity.ts';
import type { ContextSet } from '../contexts/context-set.ts';
import type { WorkspaceFiles } from '../files/workspace-files.ts';
import type { JobSet } from '../jobs/job-set.ts';
import type { PortTunnels } from '../ports/port-tunnels.ts';
import type { ProcessSet } from '../processes/process-set.ts';
import type { OutputFiles } from '../steps/output-files.ts';
import type { SharedTimer } from '../steps/shared-timer.ts';
import type { StepMemory } from '../steps/step-memory.ts';
import { answerProblem } from './answer-problem.ts';
import { archiveOperations } from './archive-operations.ts';
import { contextOperations } from './context-operations.ts';
import { fileOperations } from './file-operations.ts';
import { jobOperations } from './job-operations.ts';
import type { Environment } from './listen.ts';
import { openOperations } from './open-operations.ts';
import { portOperations } from './port-operations.ts';
import { processOperations } from './process-operations.ts';
import { sessionOperations } from './session-operations.ts';
import { stateOperations } from './state-operations.ts';
import { stepOperations } from './step-operations.ts';
import { watchOperations } from './watch-operations.ts';

export type AppDependencies = {
  sandboxUid: string;
  authenticate: Authenticate;
  binding: Pick<Binding, 'session'>;
  identity: Identity;
  contexts: ContextSet;
  jobs: JobSet;
  processes: ProcessSet;
  memory: StepMemory;
  files: Pick<OutputFiles, 'find'>;
  /** For the first frames of all answers with frames. */
  gathering: SharedTimer;
  workspaceFiles: WorkspaceFiles;
  ports: PortTunnels;
  /** Called for each authenticated request. */
  onRequest: () => void;
  log: (message: string, error: unknown) => void;
};

/** The agent's HTTP API. Operations registered after `requireToken` require the token. */
export function createApp(deps: AppDependencies): Hono<Environment> {
  const app = new Hono<Environment>();
  openOperations(app, deps);
  app.use(requireToken(deps));
  sessionOperations(app, deps);
  stepOperations(app, deps);
  jobOperations(app, deps);
  processOperations(app, deps);
  contextOperations(app, deps);
  stateOperations(app, deps);
  fileOperations(app, deps);
  archiveOperations(app, deps);
  portOperations(app, deps);
  watchOperations(app, deps);
  app.notFound(() => {
    throw new Problem('not-found', { detail: 'this endpoint does not exist' });
  });
  app.onError(answerProblem(deps.log));
  return app;
}

/** Admits requests with a valid token, and counts them. */
export function requireToken({ authenticate, onRequest }: Pick<AppDependencies, 'authenticate' | 'onRequest'>) {
  return createMiddleware<Environment>(async (c, next) => {
    await authenticate(c.env.incoming.headers);
    onRequest();
    await next();
  });
}
