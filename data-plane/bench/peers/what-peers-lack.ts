/** The work of the product that each peer leaves out, by its name in samples, for the lines under the tables. */
export const whatPeersLack: Record<string, string> = {
  yardstick:
    'no authentication, no limits, no streams, no recovery; prints are thrown away, and are neither in its record nor in its answer',
  'raw pipe': 'no HTTP, no record, no authentication, no limits: a bare Python behind a pipe of this process',
  Jupyter:
    'no record, no limits (that of the output rate is off); it checks its token once, when the connection opens; Nagle’s algorithm is on, as it comes',
  'Jupyter, TCP_NODELAY': 'the same, but sends every message at once',
  'durable transaction': 'an insert and an update, committed, on one connection',
  'bare Python': 'a new interpreter that imports pandas, without a session',
  'bare pod': 'a pod with the same image and limits, without a session, from its creation to Ready',
  'Holdfast, from sources': 'the same agent as `npm start` runs it; images have it bundled',
  'recovery off': 'the same sessions without snapshots',
  'a new session': 'a session without a state, created and asked for its first answer',
  'no snapshot': 'the same context in a time as long, in which only a step sleeps',
  numpy: 'the same arrays in a file of the sandbox, synced, without a record and without another process',
  'durable insert': 'runs no code: one row with the output, committed',
};
