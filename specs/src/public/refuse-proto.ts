import * as z from 'zod';

/** Refuses the key `__proto__`, which a record would leave out without a word. */
export const refuseProto = <Schema extends z.ZodType>(record: Schema) =>
  z.preprocess((value, context) => {
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
      context.addIssue({ code: 'custom', path: ['__proto__'], message: 'must not be a name' });
    return value;
  }, record);
