/** The arguments cannot be used. The message is for the person, and needs no stack. */
export class UsageError extends Error {
  override name = 'UsageError';
}
