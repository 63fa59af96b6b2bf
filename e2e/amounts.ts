/**
 * The amounts that tests use. The defaults suit a run of some minutes on two processors; the variables change them.
 * @throws Error if a variable is not a whole number
 */
export const amounts = {
  /** Steps that alternate between two replicas. */
  steps: amount('HOLDFAST_E2E_STEPS', 100),
  /** Sessions that come and go. */
  sessions: amount('HOLDFAST_E2E_SESSIONS', 30),
  /** Size of the warm pool. Twice as many sessions are created at once. */
  warm: amount('HOLDFAST_E2E_WARM', 10),
};

function amount(name: string, byDefault: number): number {
  const given = process.env[name] ?? String(byDefault);
  if (!/^[1-9]\d{0,4}$/.test(given)) throw new Error(`${name} must be a whole number, not '${given}'`);
  return Number(given);
}
