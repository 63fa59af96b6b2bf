/**
 * How much of everything: as much as a run of some minutes on two processors bears, and by these variables more.
 * @throws Error for what is no whole number
 */
export const amounts = {
  /** Steps that alternate between two replicas. */
  steps: amount('HOLDFAST_E2E_STEPS', 100),
  /** Sessions that come and go. */
  sessions: amount('HOLDFAST_E2E_SESSIONS', 30),
  /** Sandboxes kept ready; twice as many sessions are asked for at once. */
  warm: amount('HOLDFAST_E2E_WARM', 10),
};

function amount(name: string, usual: number): number {
  const given = process.env[name] ?? String(usual);
  if (!/^[1-9]\d{0,4}$/.test(given)) throw new Error(`${name} must be a whole number, not '${given}'`);
  return Number(given);
}
