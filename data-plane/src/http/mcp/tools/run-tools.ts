import { z } from 'zod';
import { inSession } from '../call/in-session.ts';
import { runCode } from '../steps/run-code.ts';
import { stepResultSchema } from '../steps/step-result.ts';
import { contextInput, defineTool, languageInput, type Tool } from './tool.ts';

const timeoutSeconds = z
  .number()
  .positive()
  .max(86_400)
  .optional()
  .describe('The code is stopped after so many seconds. Default: the limit of the server, usually 300');

const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

const runCodeTool = defineTool({
  name: 'run_code',
  title: 'Run code',
  description:
    'Runs code in a live interpreter that keeps variables, imports and functions between calls. Returns stdout, stderr, the value of the last expression, images of plots, and links to changed files. Code that fails is a normal result: read status and error. Each output stream is cut to its first and last 8 KiB. Code can ask for input only if the client can put a question to a person. The working directory is the workspace of the session.',
  annotations,
  input: z.strictObject({
    code: z.string().min(1).max(1_048_576).describe('The source text'),
    language: languageInput
      .optional()
      .describe('python (default), node (JavaScript and TypeScript), bash, ruby, or an installed Jupyter kernel'),
    context: contextInput
      .optional()
      .describe('An interpreter from get_context, instead of the one of the language. Leave language out then'),
    timeoutSeconds,
  }),
  output: stepResultSchema,
  call: (call, { context: contextId, ...step }) =>
    inSession(call, (sessionId) => runCode(call, sessionId, { ...step, ...(contextId && { contextId }) })),
});

const runCommandTool = defineTool({
  name: 'run_command',
  title: 'Run a shell command',
  description:
    'Runs a bash command or script in a shell that keeps its directory, variables and functions between calls. Returns stdout, stderr and the exit code. A command that fails is a normal result: read exitCode. Each output stream is cut to its first and last 8 KiB. Programs cannot ask for input; the builtin read can, if the client can put a question to a person.',
  annotations,
  input: z.strictObject({
    command: z.string().min(1).max(1_048_576).describe('Text for bash, of one or more lines'),
    timeoutSeconds,
  }),
  output: stepResultSchema,
  call: (call, { command, ...step }) =>
    inSession(call, (sessionId) => runCode(call, sessionId, { ...step, code: command, language: 'bash' })),
});

export const runTools: readonly Tool[] = [runCodeTool, runCommandTool];
