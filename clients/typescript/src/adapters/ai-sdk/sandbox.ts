import type { Experimental_SandboxSession as SandboxSession } from 'ai';
import type { CallOptions } from '../../http/create-api.ts';
import type { Session } from '../../sessions/session.ts';
import { fileBytesMaxDefault } from '../running/read-at-most.ts';
import { runCommand } from '../running/run-command.ts';
import { findWorkspace } from '../running/workspace.ts';
import { createSandboxFiles } from './sandbox-files.ts';
import { spawn } from './spawn.ts';

/** Limits of the commands that tools run in a sandbox. */
export type SandboxOptions = CallOptions & {
  /** The most output that `run` answers; a longer one is cut, and says so. `spawn` streams without a limit. Default: 1 MiB. */
  outputBytesMax?: number | undefined;
  /** The most bytes of a file that is read as a whole; reading a larger one fails, `readFile` streams. Default: 64 MiB. */
  fileBytesMax?: number | undefined;
};

/**
 * Makes a session the sandbox of an AI SDK agent. The session goes on when the agent has ended.
 * @example
 * const sandbox = await createSandbox(await holdfast.sessions.create());
 * await generateText({ model, tools, prompt, experimental_sandbox: sandbox });
 */
export async function createSandbox(
  session: Session,
  { outputBytesMax = 1024 * 1024, fileBytesMax = fileBytesMaxDefault, ...options }: SandboxOptions = {},
): Promise<SandboxSession> {
  const workspace = await findWorkspace(session, options);
  return {
    description: `A Linux sandbox. Commands start in ${workspace.root}, and relative paths lead there.`,

    ...createSandboxFiles(session, workspace, fileBytesMax),

    // The overloads say whether the answer has an input, which only the request tells.
    spawn: ((request) => spawn(session, workspace, request)) as SandboxSession['spawn'],

    async run({ command, workingDirectory, env, abortSignal }) {
      const { stdout, stderr, exitCode, truncated } = await runCommand(session, command, {
        outputBytesMax,
        signal: abortSignal,
        ...(workingDirectory !== undefined && { cwd: workspace.absolute(workingDirectory) }),
        ...(env && { env }),
      });
      const note = truncated ? `\n[more output than ${outputBytesMax} bytes: the rest is left out]` : '';
      return { exitCode, stdout, stderr: `${stderr}${note}` };
    },
  };
}
