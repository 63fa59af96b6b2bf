/** A signal has ended the run. The person who sent it needs to see its message and no stack. */
export class InterruptedError extends Error {
  override name = 'InterruptedError';
}
