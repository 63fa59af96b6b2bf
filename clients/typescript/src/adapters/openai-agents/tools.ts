import { type FunctionTool, type Shell, tool } from '@openai/agents';
import type { CallOptions } from '../../http/create-api.ts';
import type { Session } from '../../sessions/session.ts';
import { type RunCodeOptions, runCode, runCodeDescription, withoutText } from '../running/run-code.ts';
import { runCommand } from '../running/run-command.ts';

/** Limits of the commands that a model runs. */
export type ShellOptions = CallOptions & {
  /** For a command for which the model asks for no time. Default: 300. */
  timeoutSeconds?: number | undefined;
  /** The most output of one command. Default: 256 KiB. */
  outputBytesMax?: number | undefined;
};

/**
 * The shell of a session for the SDK's own tool. Commands run one after the other, each from the workspace.
 * @example
 * const agent = new Agent({ name: 'Operator', tools: [shellTool({ shell: createShell(session) })] });
 */
export function createShell(session: Session, options: ShellOptions = {}): Shell {
  const { timeoutSeconds = 300, outputBytesMax = 256 * 1024, signal } = options;
  return {
    async run({ commands, timeoutMs, maxOutputLength }) {
      const output = [];
      for (const command of commands) {
        const { stdout, stderr, exitCode, isTimedOut } = await runCommand(session, command, {
          timeoutSeconds: timeoutMs ? timeoutMs / 1000 : timeoutSeconds,
          outputBytesMax: Math.min(maxOutputLength ?? outputBytesMax, outputBytesMax),
          signal,
        });
        const outcome = isTimedOut ? { type: 'timeout' as const } : { type: 'exit' as const, exitCode };
        output.push({ stdout, stderr, outcome });
      }
      return { output, ...(maxOutputLength && { maxOutputLength }) };
    },
  };
}

/**
 * A code interpreter of your own in the place of OpenAI's: code runs in the session and keeps its state there, and figures are images that the
 * model sees.
 * @example
 * const agent = new Agent({ name: 'Analyst', tools: [createCodeInterpreter(session)] });
 */
export function createCodeInterpreter(session: Session, options: RunCodeOptions = {}): FunctionTool {
  return tool({
    name: 'run_code',
    description: runCodeDescription,
    strict: true,
    parameters: {
      type: 'object',
      properties: {
        code: { type: 'string', description: `In the language ${options.language ?? session.record.language}` },
      },
      required: ['code'],
      additionalProperties: false,
    },
    async execute(input, _context, details) {
      const { code } = input as { code: string };
      const { text, images } = await runCode(session, code, { ...options, signal: details?.signal });
      return [
        { type: 'text' as const, text: text || withoutText(images) },
        ...images.map(({ base64: data, mediaType }) => ({ type: 'image' as const, image: { data, mediaType } })),
      ];
    },
  }) as FunctionTool;
}
