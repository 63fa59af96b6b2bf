import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After the work that a new sandbox is wanted for at once. */
const afterMs = 1000;

/**
 * Collects once what loading the program has left behind, a fifth of an idle agent's memory. V8 would keep it until as much again has
 * been allocated, which an agent that waits to be claimed never does.
 */
export function returnStartMemory(): void {
  const collect = () => {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')({ type: 'major', flavor: 'last-resort' });
  };
  setTimeout(collect, afterMs).unref();
}
