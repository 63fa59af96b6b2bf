import type { Random } from '../random.ts';
import { stepTimeoutSeconds } from '../stage/deployment.ts';
import type { Api } from './api.ts';
import type { Answer, CodeAsk } from './ledger.ts';
import { codeAsk, stepCode } from './step-code.ts';
import { stream } from './stream.ts';

export type StepInput = {
  api: Api;
  random: Random;
  sessionId: string;
  /** Null: any replica. */
  replica: number | null;
  runsFile: string;
  newMark(): string;
};

type Code = CodeAsk & { text: string };

const attemptsMax = 8;

function newCode(
  { random, newMark, runsFile, sessionId }: StepInput,
  more: { key?: string; ends?: 'returns'; seconds?: number; writes?: false } = {},
): Code {
  const seconds = random.chance(0.2) ? random.between(0.5, 1.5) : random.between(0, 0.1);
  const ends = random.chance(0.15) ? 'raises' : 'returns';
  const wanted = { mark: newMark(), key: null, ends, seconds, writes: random.chance(0.3), ...more } as const;
  return { ...codeAsk(wanted), text: stepCode(wanted, { runsFile, sessionId }) };
}

const anyReplica = ({ random, replica }: StepInput) => replica ?? random.below(100);

/** A step without a key. It is never repeated, because the client cannot know whether it ran. */
export async function plainStep(
  input: StepInput,
  more: { seconds?: number; contextId?: string } = {},
): Promise<Answer> {
  const { seconds, ...body } = more;
  const code = newCode(input, seconds ? { seconds } : {});
  return await sendStep(input, code, body);
}

/** A step with a key, repeated until its end is known, and sometimes once more. */
export async function keyedStep(input: StepInput): Promise<void> {
  const code = newCode(input, { key: `key-${input.newMark()}` });
  await repeat(input, (place) => sendStep(place, code));
}

/** A job with a key. */
export async function job(input: StepInput): Promise<void> {
  const code = newCode(input, { key: `key-${input.newMark()}`, ends: 'returns', writes: false });
  const { api, sessionId } = input;
  await repeat(input, (place) =>
    api.request({
      ask: { what: 'job', sessionId, replica: anyReplica(place), ...truth(code) },
      method: 'POST',
      path: '/v1/run?inline=true',
      body: { sessionId, language: 'python', code: code.text, timeoutSeconds: stepTimeoutSeconds },
      headers: keyHeader(code),
    }),
  );
}

/** A step that is streamed. The client may leave early, and then follows the step to its end through another replica. */
export async function streamedStep(input: StepInput): Promise<void> {
  const { api, random, sessionId } = input;
  const code = newCode(input, { seconds: random.between(0, 0.8) });
  const type = random.pick(['text/event-stream', 'application/x-ndjson'] as const);
  const steps = `/v1/sessions/${sessionId}/steps`;
  const ask = () => ({ what: 'step' as const, sessionId, replica: anyReplica(input), ...truth(code) });
  const events = random.chance(0.5) ? 1 + random.below(2) : Number.POSITIVE_INFINITY;
  let last = await stream(api, { ask: ask(), path: steps, body: { code: code.text }, type, events });
  const { id } = last;
  for (let attempt = 0; id && !last.step && attempt < attemptsMax && !api.stop.aborted; attempt++) {
    const path = `${steps}/${id}/events?after=${last.seqs.at(-1) ?? 0}`;
    const seen = last.seqs;
    last = await stream(api, { ask: ask(), path, body: null, type, events: Number.POSITIVE_INFINITY });
    last.seqs.unshift(...seen);
    if (!last.step) await pause(api, 200);
  }
}

async function sendStep(input: StepInput, code: Code, more: object = {}): Promise<Answer> {
  const { api, sessionId } = input;
  return await api.request({
    ask: { what: 'step', sessionId, replica: anyReplica(input), ...truth(code) },
    method: 'POST',
    path: `/v1/sessions/${sessionId}/steps`,
    body: { code: code.text, ...more },
    headers: keyHeader(code),
  });
}

/** Repeats a request with a key: first at the client's place, then anywhere. */
async function repeat(input: StepInput, send: (input: StepInput) => Promise<Answer>): Promise<void> {
  const { api, random } = input;
  for (let attempt = 0; attempt < attemptsMax && !api.stop.aborted; attempt++) {
    const { status } = await send(attempt === 0 ? input : { ...input, replica: null });
    const isKnown = status !== null && status < 500 && status !== 409;
    if (isKnown && (attempt > 0 || random.chance(0.6))) return;
    if (!isKnown) await pause(api, 300);
  }
}

export const pause = (api: Api, ms: number): Promise<void> =>
  new Promise((resolve) => {
    if (api.stop.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      api.stop.removeEventListener('abort', done);
      resolve();
    }
    api.stop.addEventListener('abort', done);
  });

const truth = ({ mark, key, ends, writes }: Code): CodeAsk => ({ mark, key, ends, writes });
const keyHeader = ({ key }: Code): Record<string, string> => (key ? { 'idempotency-key': key } : {});
