import { provideBuiltinModules } from './builtin-modules.js';
import { closePrograms } from './closed-programs.js';
import { provideConstants } from './constants.js';
import { provideImports } from './imports.js';
import { provideLastValues } from './last-values.js';
import { provideModuleGlobals } from './module-globals.js';
import { provideOperations } from './operations.js';
import { scopeOutput } from './scoped-output.js';
import { scopeTimers } from './scoped-timers.js';
import { cutStackTraces } from './stack-traces.js';
import { provideStdin } from './stdin.js';
import { provideExit } from './step-exit.js';
import { createStepScopes } from './step-scopes.js';

/** Prepares the user's realm for the code of steps, and returns the controls that the kernel needs. */
export function provideStepGlobals() {
  const scopes = createStepScopes();
  const output = scopeOutput(scopes);
  const input = provideStdin(scopes);
  const stackTraces = cutStackTraces();
  const { importModule, onLoad } = provideModuleGlobals();
  const imports = provideImports(importModule);
  provideConstants();
  scopeTimers(scopes);
  provideBuiltinModules();
  closePrograms();
  provideOperations();
  const exit = provideExit(scopes);
  const modules = { importModule, onLoad };
  return { scopes, output, input, exit, imports, modules, stackTraces, lastValues: provideLastValues() };
}
