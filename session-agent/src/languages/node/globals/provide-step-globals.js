import { provideLastValues } from './last-values.js';
import { provideModuleGlobals } from './module-globals.js';
import { scopeOutput } from './scoped-output.js';
import { scopeTimers } from './scoped-timers.js';
import { cutStackTraces } from './stack-traces.js';
import { provideStdin } from './stdin.js';
import { createStepScopes } from './step-scopes.js';

/** Prepares the user's realm for the code of steps, and returns the controls that the kernel needs. */
export function provideStepGlobals() {
  const scopes = createStepScopes();
  const output = scopeOutput(scopes);
  const input = provideStdin(scopes);
  cutStackTraces();
  provideModuleGlobals();
  scopeTimers(scopes);
  return { scopes, output, input, lastValues: provideLastValues() };
}
