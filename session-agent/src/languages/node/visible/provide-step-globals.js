import { provideLastValues } from './last-values.js';
import { provideModuleGlobals } from './module-globals.js';
import { scopeOutput } from './scoped-output.js';
import { scopeTimers } from './scoped-timers.js';
import { cutStackTraces } from './stack-traces.js';
import { provideStdin } from './stdin.js';
import { createStepScopes } from './step-scopes.js';

/** Puts in place what the code of steps finds in its realm, and returns what the kernel needs to steer it. */
export function provideStepGlobals() {
  const scopes = createStepScopes();
  const output = scopeOutput(scopes);
  const input = provideStdin(scopes);
  cutStackTraces();
  provideModuleGlobals();
  scopeTimers(scopes);
  return { scopes, output, input, lastValues: provideLastValues() };
}
