import { onTestFinished } from 'vitest';
import type { AppDependencies } from '../../src/http/create-app.ts';
import { serveApp } from '../../src/http/edge/serve-app.ts';
import type { Verbs } from '../../src/http/v1/verbs.ts';
import { scriptedApp } from './scripted-app.ts';

/** The scripted app on a port of its own until the test ends. */
export async function servedApp(
  script: Partial<Verbs>,
  options: Partial<AppDependencies> = {},
  stalledReaderMs?: number,
) {
  const scripted = scriptedApp(script, options);
  const served = await serveApp(scripted.app, {
    host: '127.0.0.1',
    port: 0,
    ...(stalledReaderMs && { stalledReaderMs }),
  });
  onTestFinished(() => served.close({ graceMs: 0 }));
  return { ...scripted, ...served };
}
