import { type Holdfast, HoldfastError } from '@holdfast/sdk';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Runs one step in a session of its own, which shows that sandboxes start, and which runtime they have. */
export async function checkRuntime({ sessions }: Holdfast): Promise<Finding[]> {
  const startMs = performance.now();
  try {
    const session = await sessions.create({ idleTimeoutSeconds: 60, metadata: { by: 'holdfast doctor' } });
    const startedMs = performance.now();
    try {
      const { text, status, cause } = await session.run('6 * 7', { timeoutSeconds: 30 });
      const endedMs = performance.now();
      if (text !== '42') {
        return [
          fault('sandbox', `a step is ${status}${cause ? `: ${cause.message}` : ''}`, 'see the log of the server'),
        ];
      }
      const times = `starts in ${Math.round(startedMs - startMs)} ms, and runs a step in ${Math.round(endedMs - startedMs)} ms`;
      return [ok('sandbox', times), runtimeFinding(session.record.runtime, session.record.network)];
    } finally {
      await session.delete().catch(() => {});
    }
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return [fault('sandbox', `does not start: ${error.message} (${error.code})`, 'see the log of the server')];
  }
}

const runtimeFinding = (runtime: string, network: string): Finding =>
  runtime === 'process'
    ? warning(
        'runtime',
        'process: it isolates nothing',
        'run only code that you trust, or set HOLDFAST_RUNTIME=container',
      )
    : ok('runtime', `${runtime}, with the network class ${network}`);
