import { isoText } from '../../timing/iso-text.ts';
import { type StepRow, steps } from '../schema/steps.ts';

/** Set when a step's row is inserted, and never changed. */
export const startColumns = [
  'id',
  'sessionId',
  'contextId',
  'epoch',
  'actor',
  'keyId',
  'actorName',
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
  'cpuSeconds',
  'memoryBytesMax',
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

/** The column's parameter, in a statement that has `valuesOf(row, columns)` behind `before` other parameters. */
export function parameterOf(columns: readonly Column[], column: Column, before = 0): string {
  const parameter = `$${before + columns.indexOf(column) + 1}`;
  return isJson(column) ? `${parameter}::text::jsonb` : `${parameter}::${typeOf(column)}`;
}

/** The values of the columns in their order, JSON as text. The driver sends bytes that are in parts without putting them together. */
export const valuesOf = <Some extends Column>(
  row: Valued<Some> & { longEvents?: Bytes | undefined },
  columns: readonly Some[],
): Value[] =>
  columns.map((column) => {
    const value = column === 'events' && row.longEvents ? row.longEvents : row[column];
    // Few values are objects, so few columns are looked up.
    return (typeof value === 'object' && value !== null && isJson(column) ? JSON.stringify(value) : value) as Value;
  });

const jsonColumns: ReadonlySet<Column> = new Set(['outcome', 'cause', 'job', 'expressions']);

const isJson = (column: Column): boolean => jsonColumns.has(column);

/** An array as Postgres reads it. An object is an element as JSON. */
export const arrayOf = (elements: readonly Element[]): string => `{${elements.map(elementOf)}}`;

type Element = string | number | boolean | Date | object | null;

function elementOf(element: Element): string {
  if (element === null) return 'null';
  if (typeof element === 'string') return quoted(element);
  if (element instanceof Date) return quoted(isoText(element));
  return typeof element === 'object' ? quoted(JSON.stringify(element)) : String(element);
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
