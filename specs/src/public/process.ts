import * as z from 'zod';
import { tokenInQuery } from './request.ts';
import { actorNameSchema, actorSchema } from './step.ts';
import { causeSchema } from './values/cause.ts';
import { environmentSchema } from './values/environment.ts';
import { processIdSchema, sessionIdSchema } from './values/ids.ts';
import { pageQuerySchema } from './values/page.ts';
import { problemSchema } from './values/problems.ts';
import { programLimitsSchema, resourceUsageSchema } from './values/resources.ts';
import { int4, int4Max, text } from './values/storable.ts';
import { waitSecondsInBody, waitSecondsSchema } from './values/waiting.ts';

/** The most bytes that a command may have, with all its arguments. */
export const commandBytesMax = 1024 * 1024;

const commandSchema = z
  .union([text(commandBytesMax).min(1), z.array(text(commandBytesMax)).min(1).max(8192)], {
    error: 'must be a text for a shell, or a list of texts: a program and its arguments',
  })
  .refine((command) => bytesOf(command) <= commandBytesMax, `must be at most ${commandBytesMax} bytes in all`)
  .refine((command) => typeof command === 'string' || command[0] !== '', 'must begin with the name of a program');

const bytesOf = (command: string | string[]): number =>
  typeof command === 'string'
    ? Buffer.byteLength(command)
    : command.reduce((sum, one) => sum + Buffer.byteLength(one), 0);

/** The size of a terminal in characters. */
export const terminalSizeSchema = z
  .strictObject({ columns: z.number().int().min(1).max(1000), rows: z.number().int().min(1).max(1000) })
  .meta({ id: 'TerminalSize' });
export type TerminalSize = z.infer<typeof terminalSizeSchema>;

/** `POST /v1/sessions/{sessionId}/processes`. */
export const startProcessSchema = z
  .strictObject({
    command: commandSchema.meta({
      description: 'A list is a program with its arguments; a text is run by the shell of the sandbox',
    }),
    cwd: text(4096).min(1).optional().meta({
      description: 'The directory in which it starts: absolute, or below the workspace. Default: the workspace',
    }),
    env: environmentSchema.optional().meta({ description: 'Environment variables beside those of the session' }),
    stdin: z
      .union([z.boolean(), text(1_048_576)])
      .default(false)
      .meta({
        description:
          '`true` keeps the input open for `POST …/stdin`; a text is the whole input. A process with a terminal always has its input open',
      }),
    stderr: z.enum(['separate', 'stdout']).default('separate').meta({
      description: '`stdout` puts both streams into one, in the order in which the process writes',
    }),
    terminal: terminalSizeSchema.optional().meta({
      description: 'Gives the process a terminal of this size. Its output is all on `stdout`',
    }),
    timeoutSeconds: z
      .number()
      .positive()
      .max(604_800)
      .optional()
      .meta({ description: 'When this is over, the process gets SIGTERM, and SIGKILL a little later. Default: none' }),
    limits: programLimitsSchema.optional(),
    actor: actorSchema.default('agent'),
    actorName: actorNameSchema.optional(),
    waitSeconds: waitSecondsInBody.meta({
      description:
        'Answers 200 with the process as soon as it has ended, or as it is after this time; without it, 202 at once',
    }),
    artifacts: z.boolean().default(false).meta({
      description: 'Whether the changes under the workspace are reported as artifacts of the process when it ends',
    }),
  })
  .meta({ id: 'StartProcess' });
export type StartProcess = z.infer<typeof startProcessSchema>;

export const processStatuses = ['running', 'exited', 'signalled', 'timed_out', 'lost'] as const;
export type ProcessStatus = (typeof processStatuses)[number];

export const signalNameSchema = z.string().regex(/^SIG[A-Z0-9+]{1,12}$/, 'must be a name such as SIGTERM');

export const processSchema = z
  .object({
    id: processIdSchema,
    sessionId: sessionIdSchema,
    number: z.number().int().meta({ description: 'Order of admission in the session' }),
    epoch: z.number().int(),
    pid: z.number().int().nullable().meta({ description: 'Within the sandbox' }),
    command: z.union([z.string(), z.array(z.string())]).meta({ description: 'A very long one is cut' }),
    cwd: z.string().nullable(),
    terminal: terminalSizeSchema
      .nullable()
      .meta({ description: 'The size of its terminal, as it was last set; null if it has none' }),
    actor: actorSchema,
    actorName: actorNameSchema.nullable(),
    status: z.enum(processStatuses),
    exitCode: int4(-int4Max).nullable(),
    signal: signalNameSchema.nullable().meta({ description: 'The signal that ended it' }),
    cause: causeSchema.nullable().meta({
      description: 'The reason for the end, unless the program ended by itself or by a signal of a client',
    }),
    stdout: z.string().meta({ description: 'The output as text; of a long one, the beginning and the end' }),
    stderr: z.string(),
    truncated: z.boolean().meta({ description: 'Whether a part of `stdout` or `stderr` is missing here' }),
    usage: resourceUsageSchema.nullable(),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Process' });
export type Process = z.infer<typeof processSchema>;

/** A process in a list. */
export const processSummarySchema = processSchema
  .omit({ stdout: true, stderr: true, truncated: true })
  .meta({ id: 'ProcessSummary' });
export type ProcessSummary = z.infer<typeof processSummarySchema>;

/** A place in the log of a process: each byte of output moves it on by one. */
const positionSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A piece of output: `text` if it is UTF-8, otherwise `base64`. */
const output = { text: z.string().optional(), base64: z.string().optional() };

const envelope = {
  seq: positionSchema.meta({
    description: 'The place in the log of the process behind this event: with `after`, the events continue there',
  }),
  sessionId: sessionIdSchema,
  processId: processIdSchema,
};

const event = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...envelope, ...shape });

/** The events of a process, in order. The last one is `finished`. */
export const processEventSchema = z
  .discriminatedUnion('type', [
    event('stdout', output),
    event('stderr', output),
    event('truncated', { bytes: z.number().int().min(1).meta({ description: 'Output that is not stored any more' }) }),
    event('finished', { process: processSchema }),
  ])
  .meta({ id: 'ProcessEvent' });
export type ProcessEvent = z.infer<typeof processEventSchema>;

/** `POST …/processes/{processId}/stdin` answers how many bytes of input were accepted. */
export const acceptedInputSchema = z
  .object({
    bytes: positionSchema.meta({ description: 'The input that was accepted in all' }),
    taken: positionSchema.meta({ description: 'The bytes of this request that were accepted' }),
    ended: z.boolean(),
  })
  .meta({ id: 'AcceptedInput' });
export type AcceptedInput = z.infer<typeof acceptedInputSchema>;

/** `POST …/processes/{processId}/stdin`: bytes as text or as base64, and then, with `end`, the end of the input. */
export const processInputSchema = z
  .strictObject({
    text: text(1_048_576).optional(),
    base64: z.base64().max(1_400_000).optional(),
    end: z.boolean().default(false),
  })
  .refine(({ text, base64 }) => text === undefined || base64 === undefined, {
    message: 'must not be given together with text',
    path: ['base64'],
  })
  .refine(({ text, base64, end }) => end || text !== undefined || base64 !== undefined, 'must have text, base64 or end')
  .meta({ id: 'ProcessInput' });
export type ProcessInput = z.infer<typeof processInputSchema>;

/** The signals that a client may send. */
export const sentSignals = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGKILL',
  'SIGUSR1',
  'SIGUSR2',
  'SIGTERM',
  'SIGCONT',
  'SIGSTOP',
  'SIGTSTP',
  'SIGWINCH',
] as const;

/** `POST …/processes/{processId}/signal` */
export const signalProcessSchema = z
  .strictObject({
    signal: z.enum(sentSignals).default('SIGTERM').meta({ description: 'Goes to the process and all that it started' }),
    actor: actorSchema.optional().meta({ description: 'For the audit log; default: the host' }),
    actorName: actorNameSchema.optional(),
  })
  .meta({ id: 'SignalProcess' });
export type SignalProcess = z.infer<typeof signalProcessSchema>;

export const listProcessesQuerySchema = pageQuerySchema.extend({
  status: z.enum(processStatuses).optional(),
});

/** `GET …/processes/{processId}` */
export const processQuerySchema = z.strictObject({ waitSeconds: waitSecondsSchema });

const position = z.coerce.number().pipe(positionSchema);

/** `GET …/processes/{processId}/events`, and `…/channel`, which a client opens as a WebSocket (RFC 6455). */
export const processEventsQuerySchema = z.strictObject({ after: position.optional(), token: tokenInQuery });
export const processEventsHeaderSchema = position.optional();

/** `GET …/processes/{processId}/output/{stream}` */
export const processOutputQuerySchema = z.strictObject({ offset: position.default(0) });

export const commandIdSchema = positionSchema.meta({
  description: 'Chosen by the client. The answer is `done` or `problem` with it',
});

/** The texts that a client sends on a channel. Its binary messages are input. */
export const channelCommandSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('resize'), ...terminalSizeSchema.shape, id: commandIdSchema.optional() }),
    z.strictObject({ type: z.literal('signal'), signal: z.enum(sentSignals), id: commandIdSchema.optional() }),
    z.strictObject({ type: z.literal('end'), id: commandIdSchema.optional() }),
    z.strictObject({ type: z.literal('pause-output') }).meta({
      description: 'No output is sent until `resume-output`, and the process waits. Input and signals go on',
    }),
    z.strictObject({ type: z.literal('resume-output') }),
  ])
  .meta({ id: 'ChannelCommand' });
export type ChannelCommand = z.infer<typeof channelCommandSchema>;

/** The types of commands, as `opened` lists them. */
export const channelCommands = channelCommandSchema.options.map(({ shape }) => shape.type.value);

/** The texts that a client gets on a channel. The binary messages are output. */
export const channelNoticeSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('opened'),
      process: processSchema,
      commands: z
        .array(z.string())
        .meta({
          description: 'The types of `ChannelCommand` that this server takes. Without the field: no `id`, no pauses',
        })
        .optional(),
    }),
    z.object({ type: z.literal('alive') }).meta({
      description: 'Sent every 15 s, so that a client which sees no pings, such as a page, knows that the way is open',
    }),
    z.object({ type: z.literal('done'), id: commandIdSchema }),
    z.object({
      type: z.literal('position'),
      seq: positionSchema.meta({ description: 'The place before the next byte; each byte moves it on by one' }),
    }),
    z.object({ type: z.literal('truncated'), seq: positionSchema, bytes: z.number().int().min(1) }),
    z.object({ type: z.literal('problem'), problem: problemSchema, id: commandIdSchema.optional() }),
    z.object({ type: z.literal('unread'), bytes: z.number().int().min(1) }).meta({
      description:
        'The process had no room for so many bytes of the last message for 10 s. The channel closes with the code 4001',
    }),
    z.object({ type: z.literal('finished'), seq: positionSchema, process: processSchema }),
  ])
  .meta({ id: 'ChannelNotice' });
export type ChannelNotice = z.infer<typeof channelNoticeSchema>;
