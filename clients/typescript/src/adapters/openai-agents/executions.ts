import type { Process } from '../../processes/process.ts';
import type { Session } from '../../sessions/session.ts';
import { createInput } from '../running/create-input.ts';
import { createOutputReader } from '../running/read-output.ts';
import { shortened } from '../running/shortened.ts';
import { endOf, startCommand } from '../running/start-command.ts';
import type { Workspace } from '../running/workspace.ts';
import { described } from './described.ts';
import { type HoldfastSandbox, refuseRunAs, type SandboxOptions } from './sandbox.ts';

type Executions = Pick<HoldfastSandbox, 'exec' | 'execCommand' | 'writeStdin' | 'supportsPty' | 'stop'>;

type Execution = {
  process: Process;
  reader: ReturnType<typeof createOutputReader>;
  isTerminal: boolean;
  input: ReturnType<typeof createInput>;
  /** Calls for one command take turns, so that each part of its output is told once. */
  turn: Promise<unknown>;
};

type Patience = { yieldTimeMs: number; maxOutputTokens?: number | undefined };

/** Commands that a model waits for a while, and comes back to by a number if they go on. */
export function createExecutions(
  session: Session,
  workspace: Workspace,
  { timeoutSeconds, outputBytesMax = 1024 * 1024, signal }: SandboxOptions,
): Executions {
  const running = new Map<number, Execution>();
  let lastNumber = 0;

  /** The output since the last time, until the command ends or the patience does. */
  const proceed = async (execution: Execution, number: number, { yieldTimeMs, maxOutputTokens }: Patience) => {
    const startedAt = performance.now();
    const until = AbortSignal.timeout(Math.min(Math.max(yieldTimeMs, yieldTimeMsMin), yieldTimeMsMax));
    const { process, reader, input } = execution;
    const { text, stdout, stderr, truncated } = await reader.read({ bytesMax: outputBytesMax, signal, until });
    // The output that is left out has hidden the end, maybe.
    if (truncated) await process.refresh({ signal });
    const isRunning = process.record.status === 'running';
    if (!isRunning) {
      running.delete(number);
      input.stop();
    }
    const failure = isRunning ? input.takeFailure() : null;
    const notes = [
      ...(truncated ? ['[more output is left out]'] : []),
      ...(isRunning && input.waits() ? ['[the command has not taken all of its input yet]'] : []),
      ...(failure ? [`[input did not arrive: ${failure instanceof Error ? failure.message : failure}]`] : []),
    ];
    const output = notes.length > 0 ? [text, ...notes].join('\n') : text;
    return {
      output: maxOutputTokens === undefined ? output : shortened(output, maxOutputTokens * charactersPerToken),
      stdout,
      stderr,
      wallTimeSeconds: (performance.now() - startedAt) / 1000,
      ...(isRunning ? { sessionId: number } : { exitCode: (await endOf(process, { signal })).exitCode }),
    };
  };

  const exec: Executions['exec'] = async ({
    cmd,
    workdir,
    shell,
    tty,
    runAs,
    yieldTimeMs = 10_000,
    maxOutputTokens,
  }) => {
    refuseRunAs(runAs);
    // A login shell would replace the environment of the sandbox, so `login` has no effect.
    const process = await startCommand(session, shell ? [shell, '-c', cmd] : cmd, {
      signal,
      ...(tty ? { terminal: { columns: 120, rows: 40 } } : { stdin: true }),
      ...(workdir !== undefined && { cwd: workspace.absolute(workdir) }),
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    });
    const reader = createOutputReader(process);
    const input = createInput(process, { signal });
    const execution: Execution = { process, reader, isTerminal: tty ?? false, input, turn: Promise.resolve() };
    lastNumber += 1;
    const number = lastNumber;
    // From now on `stop` kills it, also if its output cannot be read.
    running.set(number, execution);
    return await inTurn(execution, () => proceed(execution, number, { yieldTimeMs, maxOutputTokens }));
  };

  return {
    exec,
    execCommand: async (args) => described(await exec(args)),

    async writeStdin({ sessionId, chars = '', yieldTimeMs = 250, maxOutputTokens }) {
      const execution = running.get(sessionId);
      if (!execution) throw new Error(`no command with the session ID ${sessionId} runs`);
      const { process, isTerminal, input } = execution;
      const isInterrupt = !isTerminal && chars.includes('\x03');
      if (isInterrupt) await process.signal('SIGINT', { signal });
      const text = isTerminal ? chars : chars.replaceAll('\x03', '');
      if (text) input.add(text);
      return described(await inTurn(execution, () => proceed(execution, sessionId, { yieldTimeMs, maxOutputTokens })));
    },

    supportsPty: () => true,

    async stop() {
      const executions = [...running.values()];
      running.clear();
      for (const { input } of executions) input.stop();
      await Promise.all(executions.map(({ process }) => process[Symbol.asyncDispose]()));
    },
  };
}

function inTurn<Answer>(execution: Execution, call: () => Promise<Answer>): Promise<Answer> {
  const answer = execution.turn.then(call);
  execution.turn = answer.catch(() => {});
  return answer;
}

const charactersPerToken = 4;

/** A shorter one would be over before the first output can arrive. */
const yieldTimeMsMin = 250;

/** A model may ask for any number, and a timer takes none above 32 bits. */
const yieldTimeMsMax = 3_600_000;
