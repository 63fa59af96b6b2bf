import { join } from 'node:path';

const repository = join(import.meta.dirname, '../../..');

/** The variable with the folder of the bundled programs of a test run. */
export const programsVariable = 'HOLDFAST_TEST_PROGRAMS';

/** The path of a program, such as `session-agent/src/main.ts`: its bundle, or without bundles its sources. */
export const programPath = (path: string): string => join(process.env[programsVariable] ?? repository, path);

/** Lets a program take what V8 has compiled of it before, if it is a bundle: it starts with two thirds of the work. */
export function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const programs = process.env[programsVariable];
  return programs ? { NODE_COMPILE_CACHE: join(programs, 'compile-cache') } : {};
}
