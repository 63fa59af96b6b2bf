import { jsonSchema, type Tool, tool } from 'ai';
import type { Session } from '../../sessions/session.ts';
import {
  type CodeOutcome,
  type RunCodeOptions,
  runCode,
  runCodeDescription,
  withoutText,
} from '../running/run-code.ts';
import { type CommandOutcome, runCommand } from '../running/run-command.ts';
import { shortened } from '../running/shortened.ts';

/** Limits of the tools. */
export type ToolOptions = Omit<RunCodeOptions, 'language'> & {
  /** The language of code for which the model names none. Default: that of the session. */
  language?: string | undefined;
  /** The most output of a command. Default: 256 KiB. */
  outputBytesMax?: number | undefined;
};

/** The tools by the names that the model sees. */
export type HoldfastTools = {
  run_code: Tool<{ code: string; language?: string }, CodeOutcome>;
  run_command: Tool<{ command: string }, CommandOutcome>;
};

/**
 * Tools with which a model works in a session: `run_code` in an interpreter that keeps its state, and `run_command` beside it.
 * @example
 * const { text } = await generateText({ model, tools: createTools(session), stopWhen: isStepCount(10), prompt });
 */
export function createTools(
  session: Session,
  { outputBytesMax = 256 * 1024, charactersMax = 30_000, ...options }: ToolOptions = {},
): HoldfastTools {
  return {
    run_code: tool({
      description: runCodeDescription,
      inputSchema: jsonSchema<{ code: string; language?: string }>(codeSchema),
      async execute({ code, language }, { abortSignal }): Promise<CodeOutcome> {
        return await runCode(session, code, {
          ...options,
          charactersMax,
          ...(language && { language }),
          signal: abortSignal,
        });
      },
      toModelOutput: ({ output: { text, images } }) => ({
        type: 'content',
        value: [
          { type: 'text', text: text || withoutText(images) },
          ...images.map(({ mediaType, base64: data }) => {
            return { type: 'file' as const, mediaType, data: { type: 'data' as const, data } };
          }),
        ],
      }),
    }),

    run_command: tool({
      description: 'Runs a shell command in the sandbox and waits for its end. Each command starts in the workspace.',
      inputSchema: jsonSchema<{ command: string }>(commandSchema),
      async execute({ command }, { abortSignal }): Promise<CommandOutcome> {
        const { timeoutSeconds = 300 } = options;
        return await runCommand(session, command, { outputBytesMax, timeoutSeconds, signal: abortSignal });
      },
      toModelOutput: ({ output: { text, exitCode, isTimedOut, truncated } }) => ({
        type: 'text',
        value: [
          shortened(text, charactersMax).replace(/\n$/, ''),
          ...(truncated ? ['[more output is left out]'] : []),
          isTimedOut ? '[killed: its time was over]' : `[exit code ${exitCode}]`,
        ].join('\n'),
      }),
    }),
  };
}

const codeSchema = {
  type: 'object' as const,
  properties: {
    code: { type: 'string' as const },
    language: { type: 'string' as const, description: 'such as python, node or bash' },
  },
  required: ['code'],
  additionalProperties: false,
};

const commandSchema = {
  type: 'object' as const,
  properties: { command: { type: 'string' as const } },
  required: ['command'],
  additionalProperties: false,
};
