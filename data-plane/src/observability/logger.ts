import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { errorFields } from './error-fields.ts';

/** The log as the rest of the data-plane uses it: fields first, then one sentence. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/**
 * JSON lines on stdout. Only the values of statements are redacted here: secrets, code and environments are never logged. An
 * error is logged as `err`, with its causes.
 */
export function createLogger(
  options: { level: LogLevel; fields?: Record<string, string> },
  to?: DestinationStream,
): Logger {
  return pino(
    {
      level: options.level,
      base: options.fields ?? {},
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
      formatters: { level: (label) => ({ level: label }) },
    },
    ...(to ? [to] : []),
  );
}
