import { type Config, ConfigError, parseConfig } from './config.ts';
import { logError } from './log.ts';
import { closeInheritedDescriptors } from './start/close-inherited-descriptors.ts';
import { startAgent } from './start/start-agent.ts';

/** sysexits.h: something was found in an unconfigured or misconfigured state. */
const exitMisconfigured = 78;

// An error of the agent in the background must not end the session's kernels.
process.on('unhandledRejection', (error) => logError('a promise was rejected without a handler', error));

closeInheritedDescriptors();
const agent = await startAgent(configuration());
process.on('SIGTERM', () => void agent.stopAfterSaving());
process.on('SIGINT', () => void agent.stop());

function configuration(): Config {
  try {
    return parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    logError(error.message);
    process.exit(exitMisconfigured);
  }
}
