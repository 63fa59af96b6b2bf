import { type Holdfast, HoldfastError } from '@holdfast/sdk';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Six times seven in the languages that a profile may have, the first of which is taken. */
const codes: Record<string, string> = { python: '6 * 7', node: '6 * 7', ruby: '6 * 7', bash: 'echo $((6 * 7))' };

/** Runs one step in a session of its own, which shows that sandboxes start, and which runtime they have. */
export async function checkRuntime({ api, sessions }: Holdfast): Promise<Finding[]> {
  try {
    const { data: offered } = await api.GET('/v1/languages');
    const names: string[] = offered?.languages.map(({ name }) => name) ?? [];
    const language = Object.keys(codes).find((name) => names.includes(name)) ?? names[0];
    const startMs = performance.now();
    const session = await sessions.create({ language, idleTimeoutSeconds: 60, metadata: { by: 'holdfast doctor' } });
    const startedMs = performance.now();
    try {
      const code = codes[session.record.language] ?? '6 * 7';
      const { text, stdout, status, cause } = await session.run(code, { timeoutSeconds: 30 });
      const endedMs = performance.now();
      if (!(text ?? stdout).includes('42')) {
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
