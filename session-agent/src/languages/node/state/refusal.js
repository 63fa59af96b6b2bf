/** Says why a value cannot be saved. The message is for the report. */
export class Refusal extends Error {}
