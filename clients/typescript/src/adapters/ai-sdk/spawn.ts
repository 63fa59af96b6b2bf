import type { Experimental_SandboxProcess as SandboxProcess } from 'ai';
import { bytesOf, type Process } from '../../processes/process.ts';
import type { Session } from '../../sessions/session.ts';
import { endOf, startCommand } from '../running/start-command.ts';
import type { Workspace } from '../running/workspace.ts';

export type SpawnRequest = {
  command: string;
  workingDirectory?: string;
  env?: Record<string, string>;
  abortSignal?: AbortSignal;
  stdin?: boolean;
};

/** Starts a command beside the agent. Output that is not read holds the command back. */
export async function spawn(
  session: Session,
  workspace: Workspace,
  { command, workingDirectory, env, abortSignal, stdin }: SpawnRequest,
): Promise<SandboxProcess & { stdin?: WritableStream<Uint8Array> }> {
  const process = await startCommand(session, command, {
    signal: abortSignal,
    ...(workingDirectory !== undefined && { cwd: workspace.absolute(workingDirectory) }),
    ...(env && { env }),
    ...(stdin && { stdin }),
  });
  return {
    ...(process.record.pid !== null && { pid: process.record.pid }),
    stdout: outputOf(process, 'stdout', abortSignal),
    stderr: outputOf(process, 'stderr', abortSignal),
    ...(stdin && { stdin: inputOf(process) }),
    async wait() {
      const { exitCode } = await endOf(process, { signal: abortSignal });
      return { exitCode };
    },
    kill: () => process[Symbol.asyncDispose](),
  };
}

/** One stream of the output. Each stream reads the log of the process by itself, so neither has to buffer the other's. */
function outputOf(process: Process, type: 'stdout' | 'stderr', signal?: AbortSignal): ReadableStream<Uint8Array> {
  const events = process.events({ signal });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { value: event } = await events.next();
          if (!event) return controller.close();
          if (event.type === 'truncated') throw new Error(`${event.bytes} bytes of output are not stored any more`);
          if (event.type === type) return controller.enqueue(bytesOf(event));
        }
      },
      async cancel() {
        await events.return();
      },
    },
    { highWaterMark: 0 },
  );
}

function inputOf(process: Process): WritableStream<Uint8Array> {
  return new WritableStream<Uint8Array>({
    write: (bytes) => process.write(bytes),
    close: () => process.end(),
    abort: () => process.end(),
  });
}
