import type { Exit, StartContainer } from './run-agent.ts';

/** A container that runs nothing: it ends when it is told to. */
export const idleContainer: StartContainer = () => {
  const exited = Promise.withResolvers<Exit>();
  return {
    signal: (name) => exited.resolve({ code: name === 'SIGTERM' ? 143 : 137, output: '' }),
    exited: exited.promise,
  };
};
