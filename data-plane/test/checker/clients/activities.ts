import { filesInTurn, moveAgainstPut, nestedPuts } from './files.ts';
import { job, keyedStep, pause, plainStep, type StepInput, streamedStep } from './steps.ts';

/** A piece of work in one session. */
type Activity = (input: StepInput) => Promise<unknown>;

/** One long step, and others that come at a steady pace, whether answers come or not. */
export const steadily: Activity = async (input) => {
  const running: Promise<unknown>[] = [plainStep(input, { seconds: input.random.between(1, 2) })];
  for (let index = 0; index < 6 && !input.api.stop.aborted; index++) {
    running.push(keyedStep(input));
    await pause(input.api, 400);
  }
  await Promise.all(running);
};

/** More than a replica has connections to Postgres. */
const rushSize = 24;

/** Many steps with keys at once, so that some wait for a connection when the database is silent. */
export async function rush(input: StepInput): Promise<void> {
  await Promise.all(Array.from({ length: rushSize }, () => keyedStep(input)));
}

/** A step in a further context, which may be deleted under it. */
async function otherContext(input: StepInput): Promise<void> {
  const { api, random, sessionId } = input;
  const contexts = `/v1/sessions/${sessionId}/contexts`;
  const ask = { what: 'context' as const, contextId: null, sessionId, replica: random.below(100) };
  const { id } = await api.request({ ask, method: 'POST', path: contexts, body: { language: 'python' } });
  if (!id) return;
  await plainStep(input, { contextId: id });
  await api.request({ ask: { ...ask, contextId: id }, method: 'DELETE', path: `${contexts}/${id}` });
}

/** Activities that do not wait for each other share the session, as an agent and a person do. */
const together: Activity = (input) => Promise.all([plainStep(input), keyedStep(input), streamedStep(input)]);

/** One that is listed twice is picked twice as often. */
export const activities: readonly Activity[] = [
  ...[plainStep, keyedStep, keyedStep, streamedStep, job, together, together],
  ...[nestedPuts, nestedPuts, moveAgainstPut, moveAgainstPut, filesInTurn, otherContext],
];
