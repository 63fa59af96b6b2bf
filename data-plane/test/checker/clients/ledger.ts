import type { Artifact, Session, Step } from '@holdfast/specs/public';

/** A request that a client is about to make. All that it needs to know later about the truth of the request is in here. */
export type Ask = { sessionId: string | null; replica: number } & (
  | { what: 'create'; key: string }
  | { what: 'delete' }
  | { what: 'read' }
  | { what: 'context'; contextId: string | null }
  | ({ what: 'step' | 'job' } & CodeAsk)
  | { what: 'put'; path: string; sha256: string; racing: boolean }
  | { what: 'remove'; path: string; racing: boolean }
  | { what: 'move'; path: string; to: string; racing: boolean }
);

/** A piece of code that was sent. `mark` is in the code, in its output and in the file of runs, and no other code has it. */
export type CodeAsk = {
  mark: string;
  key: string | null;
  ends: 'returns' | 'raises';
  /** The SHA-256 of the file `out-<mark>.txt`, if the code writes it. */
  writes: string | null;
};

/** Everything that came back. `status` is null if no complete answer came: the client left, or its connection broke. */
export type Answer = {
  status: number | null;
  /** The code of a problem, or the reason for which no answer came. */
  code: string | null;
  /** The id of the created or running thing, if the client saw it. */
  id: string | null;
  /** The finished step, as this answer shows it. */
  step: Step | null;
  /** The sequence numbers of the events that a stream showed, in order. */
  seqs: number[];
  job: { status: string; stdout: string; exitCode: number | null } | null;
  artifacts: Artifact[];
  session: Pick<Session, 'status' | 'endReason'> | null;
};

export const noAnswer: Answer = {
  ...{ status: null, code: null, id: null, step: null, job: null, session: null },
  ...{ seqs: [], artifacts: [] },
};

/** A request with its answer; `answer` is null while the request is open. */
export type Exchange = { client: string; askedAt: number; ask: Ask; answeredAt: number | null; answer: Answer | null };

export type Ledger = ReturnType<typeof createLedger>;

/** The memory of one client. An entry is made before its request is sent and gets its answer once; neither ever changes again. */
export function createLedger(client: string) {
  const exchanges: Exchange[] = [];
  return {
    client,
    exchanges: exchanges as readonly Exchange[],
    /** Returns the function that enters the answer. */
    enter(ask: Ask): (answer: Answer) => Answer {
      const exchange: Exchange = { client, askedAt: Date.now(), ask, answeredAt: null, answer: null };
      exchanges.push(exchange);
      return (answer) => {
        if (exchange.answer) throw new Error('an exchange has one answer');
        exchange.answeredAt = Date.now();
        exchange.answer = answer;
        return answer;
      };
    },
  };
}
