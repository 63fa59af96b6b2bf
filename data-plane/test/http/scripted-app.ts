import { type AppDependencies, createApp } from '../../src/http/create-app.ts';
import type { Verbs } from '../../src/http/v1/verbs.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { scriptedVerbs } from './scripted-verbs.ts';

/** The real app over scripted verbs, with its log at hand. */
export function scriptedApp(script: Partial<Verbs>, options: Partial<AppDependencies> = {}) {
  const { verbs, surprises } = scriptedVerbs(script);
  const lines: string[] = [];
  const log = createLogger({ level: 'info' }, { write: (line) => lines.push(line) });
  const metrics = createMetrics({ agentAuthBypassed: false });
  const app = createApp({ verbs, addOpenRequest: () => () => {}, log, metrics, agentAuthBypassed: false, ...options });
  return { app, surprises, lines };
}

export const asRun = { Authorization: 'Bearer run' };
export const asJson = { ...asRun, 'Content-Type': 'application/json' };
