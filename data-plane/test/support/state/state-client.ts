import type { Session, Snapshot } from '@holdfast/specs/public';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import type { client } from '../start-holdfast.ts';
import { type Language, programs } from './state-programs.ts';

/** A client for tests of state, whose sessions run the programs of some languages, each in its default context. */
export function stateClient(holdfast: ReturnType<typeof client>) {
  const read = async (id: string): Promise<Session> => (await holdfast.request('GET', `/v1/sessions/${id}`)).body;

  const snapshots = async (id: string): Promise<Snapshot[]> =>
    (await holdfast.request('GET', `/v1/sessions/${id}/snapshots`)).body.items;

  /** A replica that has an earlier sandbox in memory refuses one step, which then has not started. */
  const run = (id: string, language: Language, code: string) =>
    eventually(() => holdfast.runStep(id, { language, code }), 30_000);

  return {
    read,
    run,

    post: (id: string, rest: string, body?: object) => holdfast.request('POST', `/v1/sessions/${id}${rest}`, body),

    /** A session in which the programs have started. It recovers by itself. */
    async start(languages: readonly Language[]): Promise<string> {
      const { id } = await holdfast.createSession({ recovery: 'auto', language: languages[0] });
      for (const language of languages) {
        expect(await run(id, language, programs[language].start)).toMatchObject({ status: 'succeeded' });
      }
      return id;
    },

    /** The output of the programs. */
    async shown(id: string, languages: readonly Language[]): Promise<string[]> {
      const all: string[] = [];
      for (const language of languages) {
        const { stdout, error } = await run(id, language, programs[language].show);
        all.push(error ? `${error.name}: ${error.message}` : stdout.trim());
      }
      return all;
    },

    /** Waits until the latest snapshots of a context have this name, or do not have it. On a busy machine, snapshots wait for each other. */
    async saved(
      id: string,
      { language, name, isThere = true }: { language: Language; name: string; isThere?: boolean },
    ) {
      await eventually(async () => {
        const latest = (await snapshots(id)).find(
          ({ contextId, origin }) => contextId === language && origin === 'auto',
        );
        const names = latest?.saved.map((one) => one.name.replace(/^.* /, ''));
        expect(names?.includes(name)).toBe(isThere);
      }, 60_000);
    },

    /** The session in its sandbox of this epoch. A request that needs the sandbox makes the data-plane look for it at once. */
    recovered: (id: string, epoch: number): Promise<Session> =>
      eventually(async () => {
        await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
        const session = await read(id);
        expect(session).toMatchObject({ status: 'active', epoch });
        return session;
      }, 60_000),
  };
}

/** The names that the session's latest recovery reports as lost. */
export const lostIn = ({ lastRecovery }: Session): string[] =>
  lastRecovery?.contexts.flatMap(({ lost }) => lost.map(({ name }) => name)) ?? [];
