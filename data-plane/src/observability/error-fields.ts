type ErrorFields = { type: string; stack: string } & Record<string, unknown>;

/** Short names that errors carry beside their message. */
const names = [
  'code',
  'syscall',
  'slug',
  'kind',
  'severity',
  'table_name',
  'column_name',
  'constraint_name',
  'routine',
];

/**
 * An error as it is logged, with its causes. A database quotes values in its messages (metadata, hashes, sealed texts), so the error of a
 * failed statement is logged with the statement and the names of the fault, without message and parameters. Pure.
 */
export function errorFields(error: unknown, depth = 0): ErrorFields | unknown {
  if (!(error instanceof Error)) return error;
  const fields = error as Error & Record<string, unknown>;
  const isStatement = typeof fields.query === 'string' || error.name === 'PostgresError';
  return {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    ...(isStatement ? { statement: fields.query } : { message: error.message }),
    ...Object.fromEntries(names.filter((name) => typeof fields[name] === 'string').map((name) => [name, fields[name]])),
    stack: framesOf(error),
    ...(error.cause !== undefined && depth < 5 && { cause: errorFields(error.cause, depth + 1) }),
  };
}

/** The stack without the message that it begins with. */
const framesOf = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n');
