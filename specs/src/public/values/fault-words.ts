import type * as z from 'zod';

/** The words for a value that has none of several forms, if no form comes closer than the others. */
export const unexplained = 'has none of the allowed forms';

/**
 * The words for a fault whose schema has none of its own: `schema.safeParse(value, { error: faultWords })`. They follow the name of the
 * field. Pure.
 */
export const faultWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'too_big':
      return `must ${bound(issue.origin, issue.maximum, issue.exact ? 'exactly' : issue.inclusive ? 'at most' : 'less than')}`;
    case 'too_small':
      return `must ${bound(issue.origin, issue.minimum, issue.exact ? 'exactly' : issue.inclusive ? 'at least' : 'more than')}`;
    case 'invalid_format':
      return formatWords(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    case 'invalid_key':
      return 'has a name that is not allowed';
    case 'invalid_element':
      return 'has an element that is not valid';
    case 'invalid_union':
      if (Array.isArray(issue.options) && issue.options.length > 0) return `must be ${oneOf(issue.options)}`;
      return issue.inclusive === false ? 'has more than one of the allowed forms' : unexplained;
    default:
      return 'is not valid';
  }
};

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  bigint: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  map: 'a map',
  set: 'a set',
  array: 'an array',
  tuple: 'an array',
  date: 'a date',
  null: 'null',
  undefined: 'left out',
  never: 'left out',
};

const oneOf = (values: readonly unknown[]): string =>
  `${values.length > 1 ? 'one of ' : ''}${values.map((value) => (typeof value === 'bigint' ? `${value}` : JSON.stringify(value))).join(', ')}`;

const countedNames: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['entry', 'entries'],
  file: ['byte', 'bytes'],
};

function bound(origin: string, limit: number | bigint, relation: string): string {
  if (origin === 'date') return `be ${relation} ${new Date(Number(limit)).toISOString()}`;
  const names = countedNames[origin];
  return names ? `have ${relation} ${limit} ${names[Number(limit) === 1 ? 0 : 1]}` : `be ${relation} ${limit}`;
}

type FormatIssue = z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>;

function formatWords({ format, pattern, prefix, suffix, includes }: FormatIssue): string {
  if (format === 'starts_with') return `must begin with ${JSON.stringify(prefix)}`;
  if (format === 'ends_with') return `must end with ${JSON.stringify(suffix)}`;
  if (format === 'includes') return `must contain ${JSON.stringify(includes)}`;
  if (format === 'regex') return `must match ${pattern}`;
  return `must be ${formatNames[format] ?? `a valid ${format}`}`;
}

const formatNames: Record<string, string> = {
  datetime: 'a date and time as in RFC 3339',
  date: 'a date as in RFC 3339',
  time: 'a time as in RFC 3339',
  base64: 'base64',
  base64url: 'base64url',
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
};
