import type { Process as ProcessRecord, ProcessSummary, StartProcess, TerminalSize } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';
import { paged } from '../http/paged.ts';
import { Process } from './process.ts';

/** The surroundings and the limits of a process. */
export type StartOptions = Omit<StartProcess, 'command' | 'waitSeconds'> & CallOptions;

/** The size of a terminal, and the options of `start`. */
export type TerminalOptions = Partial<TerminalSize> &
  Omit<StartOptions, 'terminal' | 'stdin'> & { command?: StartProcess['command'] };

/** Programs and shell commands that run beside the interpreters of a session. */
export type Processes = ReturnType<typeof createProcesses>;

export function createProcesses(connection: Connection, sessionId: string) {
  const { api } = connection;
  const post = async (body: StartProcess, signal?: AbortSignal) => {
    const params = { path: { sessionId } };
    const call = api.POST('/v1/sessions/{sessionId}/processes', { params, body, ...(signal && { signal }) });
    return new Process(connection, await answerOf(call));
  };
  const start = async (command: StartProcess['command'], { signal, ...options }: StartOptions = {}): Promise<Process> =>
    await post({ ...options, command }, signal);
  return {
    /** Starts a program with its arguments, or a text by the shell, and resolves once it runs. */
    start,

    /** Runs a command and waits for its end; its output is in the answer. */
    async run(command: StartProcess['command'], { signal, ...options }: StartOptions = {}): Promise<ProcessRecord> {
      const process = await post({ ...options, command, waitSeconds: 30 }, signal);
      return await process.wait(signal ? { signal } : {});
    },

    /** Starts a command in a terminal, bash unless you name one. `session.terminal` also connects with it. */
    async terminal({
      columns = 80,
      rows = 24,
      command = ['bash'],
      ...options
    }: TerminalOptions = {}): Promise<Process> {
      return await start(command, { ...options, terminal: { columns, rows } });
    },

    /** The process with this id. */
    async get(processId: string, { signal }: CallOptions = {}): Promise<Process> {
      const params = { path: { sessionId, processId } };
      const call = api.GET('/v1/sessions/{sessionId}/processes/{processId}', { params, ...(signal && { signal }) });
      return new Process(connection, await answerOf(call));
    },

    /** Those that run, and the latest that have ended, without their output. */
    list({
      status,
      signal,
    }: CallOptions & { status?: ProcessSummary['status'] } = {}): AsyncGenerator<ProcessSummary, void, undefined> {
      return paged((cursor) =>
        answerOf(
          api.GET('/v1/sessions/{sessionId}/processes', {
            params: { path: { sessionId }, query: { ...cursor, ...(status && { status }) } },
            ...(signal && { signal }),
          }),
        ),
      );
    },
  };
}
