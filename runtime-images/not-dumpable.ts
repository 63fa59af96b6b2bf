import { createRequire } from 'node:module';

/** The part that this module uses of koffi's native half. Its other half, in JavaScript, doubles the time and memory that loading takes. */
type Koffi = { load(library: null): { func(prototype: string): (...values: number[]) => number } };

const koffi: Koffi = createRequire(import.meta.url)('./koffi.node');

/** PR_SET_DUMPABLE of prctl(2). */
const setDumpable = 4;

// Loaded before the agent. Code in the sandbox runs under the agent's user id, so otherwise it could read and change the agent's memory with
// ptrace(2) and /proc. The kernels that the agent starts are dumpable again, since each executes another program.
const prctl = koffi.load(null).func('int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)');
if (prctl(setDumpable, 0, 0, 0, 0) !== 0)
  throw new Error('the memory of the agent cannot be closed to other processes');
