/** A signal has ended the run. This is no fault, so nothing but its message is shown. */
export class InterruptedError extends Error {
  override name = 'InterruptedError';
}
