import { Problem } from '@holdfast/specs';
import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Binding } from './auth/bind-session.ts';
import type { Authenticate } from './auth/create-authenticate.ts';
import type { Identity } from './auth/create-identity.ts';
import type { ContextSet } from './contexts/context-set.ts';
import type { WorkspaceFiles } from './files/workspace-files.ts';
import { answerProblem } from './http/answer-problem.ts';
import { archiveRoutes } from './http/archive-routes.ts';
import { contextRoutes } from './http/context-routes.ts';
import type { Environment } from './http/environment.ts';
import { fileRoutes } from './http/file-routes.ts';
import { jobRoutes } from './http/job-routes.ts';
import { openRoutes } from './http/open-routes.ts';
import { sessionRoutes } from './http/session-routes.ts';
import { stepRoutes } from './http/step-routes.ts';
import type { JobSet } from './jobs/job-set.ts';
import type { OutputFiles } from './steps/output-files.ts';
import type { StepMemory } from './steps/step-memory.ts';

export type AppDependencies = {
  sandboxUid: string;
  authenticate: Authenticate;
  binding: Pick<Binding, 'session'>;
  identity: Identity;
  contexts: ContextSet;
  jobs: JobSet;
  memory: StepMemory;
  files: Pick<OutputFiles, 'find'>;
  workspaceFiles: WorkspaceFiles;
  /** Called for every request that was let in. */
  heard: () => void;
  log: (message: string, error: unknown) => void;
};

/** The agent's HTTP API. Whatever is added below the token's check demands the token. */
export function createApp(deps: AppDependencies): Hono<Environment> {
  const app = new Hono<Environment>();
  openRoutes(app, deps);
  app.use(demandToken(deps));
  sessionRoutes(app, deps);
  stepRoutes(app, deps);
  jobRoutes(app, deps);
  contextRoutes(app, deps);
  fileRoutes(app, deps);
  archiveRoutes(app, deps);
  app.notFound(() => {
    throw new Problem('not-found', { detail: 'there is no such route' });
  });
  app.onError(answerProblem(deps.log));
  return app;
}

function demandToken({ authenticate, heard }: Pick<AppDependencies, 'authenticate' | 'heard'>) {
  return createMiddleware<Environment>(async (c, next) => {
    await authenticate(c.env.incoming.headers);
    heard();
    await next();
  });
}
