/** How much a run measures. Scenarios choose their amounts by `size`; `rounds` replaces their own number of rounds if it is given. */
export type Plan = { size: 'smoke' | 'full'; rounds: number | null };

/** The amount for the size of the run. */
export const amount = <T>({ size }: Plan, amounts: { smoke: T; full: T }): T => amounts[size];

/** The rounds of a case: those of the command line, or the given ones. */
export const roundsOf = (plan: Plan, own: { smoke: number; full: number }): number => plan.rounds ?? amount(plan, own);
