import { join } from 'node:path';

const repository = join(import.meta.dirname, '../../..');

/** The variable with the folder of the bundled programs of a test run. */
export const programsVariable = 'HOLDFAST_TEST_PROGRAMS';

/** The path of a program, such as `session-agent/src/main.ts`: its bundle, or without bundles its sources. */
export const programPath = (path: string): string => join(process.env[programsVariable] ?? repository, path);
