import { type StepRow, steps } from '../schema/steps.ts';

/** Set when a step's row is inserted, and never changed. */
export const startColumns = [
  'id',
  'sessionId',
  'contextId',
  'epoch',
  'actor',
  'language',
  'code',
  'timeoutMs',
  'queuedAt',
] as const satisfies (keyof StepRow)[];

/** Set when a step's row is inserted, and changed once, by its end. */
export const endColumns = [
  'status',
  'contextEpoch',
  'executionCount',
  'outcome',
  'cause',
  'exitCode',
  'truncated',
  'startedAt',
  'finishedAt',
  'durationMs',
  'events',
] as const satisfies (keyof StepRow)[];

type Column = keyof StepRow;
type Value = string | number | boolean | Date | Bytes | null;
/** Whole or in parts. */
type Bytes = Uint8Array | readonly Uint8Array[];
type Valued<Some extends Column> = { [Name in Some]: Name extends 'events' ? Bytes | null : StepRow[Name] };

/** The column's name in Postgres. */
export const nameOf = (column: Column): string => steps[column].name;

/** The column's type in Postgres. */
export const typeOf = (column: Column): string => steps[column].getSQLType();

/** The column's parameter, in a statement that has `valuesOf(row, columns)` as its first parameters. */
export function parameterOf(columns: readonly Column[], column: Column): string {
  const parameter = `$${columns.indexOf(column) + 1}`;
  return isJson(column) ? `${parameter}::text::jsonb` : `${parameter}::${typeOf(column)}`;
}

/** The values of the columns in their order, JSON as text. */
export const valuesOf = <Some extends Column>(row: Valued<Some>, columns: readonly Some[]): Value[] =>
  columns.map((column) => {
    const value = row[column];
    return (isJson(column) && value !== null ? JSON.stringify(value) : value) as Value;
  });

const jsonColumns: ReadonlySet<Column> = new Set(['outcome', 'cause', 'job']);

const isJson = (column: Column): boolean => jsonColumns.has(column);
