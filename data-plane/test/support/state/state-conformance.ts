import { newId, type Session, type Snapshot } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxName } from '../../../src/sessions/sandbox-name.ts';
import { eventually } from '../eventually.ts';
import type { client } from '../start-holdfast.ts';
import { lostIn, stateClient } from './state-client.ts';
import { type Language, languages, programs, slowToLoad, slowToSave } from './state-programs.ts';

/** A Holdfast with sandboxes of one runtime, and a way to kill them behind its back. */
export type StateUnderTest = {
  holdfast: ReturnType<typeof client>;
  /** Kills a sandbox without warning. Rejects if there is none of this name yet. */
  kill(sandboxName: string): Promise<void>;
  /** A kill takes no longer than this, also on a busy machine. The tests load a snapshot for as long, so that a kill meets it. */
  killSecondsMax: number;
  dispose(): Promise<void>;
};

const truth = (n: number, of: readonly Language[]) => of.map((language) => programs[language].truth(n));

/** Pause, resume, restore and fork as every runtime must have them, also if the sandbox dies during each of them. */
export function stateConformance(name: string, make: () => Promise<StateUnderTest>): void {
  describe.concurrent(`state on the runtime ${name}`, { timeout: 120_000 }, () => {
    let tested: StateUnderTest;
    let client: ReturnType<typeof stateClient>;
    beforeAll(async () => {
      tested = await make();
      client = stateClient(tested.holdfast);
    }, 400_000);
    afterAll(() => tested.dispose(), 60_000);

    /** Kills the session's sandbox of this epoch as soon as there is one. */
    const kill = (id: string, epoch: number) => eventually(() => tested.kill(sandboxName(id, epoch)), 30_000);

    test('a resumed session has the state of all its contexts', async () => {
      const id = await client.start(languages);
      expect(await client.post(id, '/pause')).toMatchObject({ status: 200, body: { status: 'paused', notSaved: [] } });
      expect(await client.post(id, '/resume')).toMatchObject({ status: 200, body: { status: 'active', epoch: 2 } });
      expect(lostIn(await client.read(id))).toEqual([]);
      expect(await client.shown(id, languages)).toEqual(truth(1, languages));
    });

    test.each(languages)(
      'a %s context is restored, and sessions that start from its snapshot are apart',
      async (language) => {
        const id = await client.start([language]);
        const { body: snapshot }: { body: Snapshot } = await client.post(id, '/snapshots');
        await client.run(id, language, programs[language].change);
        expect(await client.shown(id, [language])).toEqual(truth(2, [language]));
        const fork = () => tested.holdfast.createSession({ language, fromSnapshot: snapshot.id });
        const [first, second] = await Promise.all([fork(), fork()]);
        await client.run(first.id, language, programs[language].change);
        expect(await client.shown(first.id, [language])).toEqual(truth(2, [language]));
        expect(await client.shown(second.id, [language])).toEqual(truth(1, [language]));
        const restored = await client.post(id, '/restore', { snapshotId: snapshot.id });
        expect(restored).toMatchObject({ status: 200, body: { lost: [] } });
        expect(await client.shown(id, [language])).toEqual(truth(1, [language]));
      },
    );

    test('a session whose sandbox dies while it is saved for a pause goes on in another one with what it had', async () => {
      const id = await client.start(languages);
      for (const language of languages) await client.saved(id, { language, name: 'items' });
      await client.run(id, 'python', slowToSave(tested.killSecondsMax));
      const pausing = client.post(id, '/pause', { force: true });
      await eventually(async () => expect(await client.read(id)).toMatchObject({ status: 'pausing' }));
      await kill(id, 1);
      expect(await pausing).toMatchObject({ status: 503 });
      // Unless an automatic snapshot already has it.
      expect(['slow']).toEqual(expect.arrayContaining(lostIn(await client.recovered(id, 2))));
      expect(await client.shown(id, languages)).toEqual(truth(1, languages));
    });

    test('a session whose new sandbox dies while it is resumed has everything in the next one', async () => {
      const id = await client.start(languages);
      await client.run(id, 'python', slowToLoad(tested.killSecondsMax));
      expect(await client.post(id, '/pause')).toMatchObject({ status: 200 });
      const resuming = client.post(id, '/resume');
      await kill(id, 2);
      expect(await resuming).toMatchObject({ status: 503 });
      expect(await client.post(id, '/resume')).toMatchObject({ status: 200, body: { status: 'active', epoch: 3 } });
      expect(lostIn(await client.read(id))).toEqual([]);
      expect(await client.shown(id, languages)).toEqual(truth(1, languages));
    });

    test('a session whose sandbox dies while it loads a snapshot has the state that it had before', async () => {
      const id = await client.start(['python']);
      await client.run(id, 'python', slowToLoad(6));
      const { body: snapshot }: { body: Snapshot } = await client.post(id, '/snapshots');
      await client.run(id, 'python', `del slow; ${programs.python.change}`);
      await client.saved(id, { language: 'python', name: 'slow', isThere: false });
      const restoring = client.post(id, '/restore', { snapshotId: snapshot.id });
      await kill(id, 1);
      expect(await restoring).toMatchObject({ status: 503 });
      expect(lostIn(await client.recovered(id, 2))).toEqual([]);
      expect(await client.shown(id, ['python'])).toEqual(truth(2, ['python']));
    });

    test.each(languages)(
      'a %s context whose sandbox dies around a restore has the state of the snapshot, or what it had if the restore failed',
      async (language) => {
        const id = await client.start([language]);
        const { body: snapshot }: { body: Snapshot } = await client.post(id, '/snapshots');
        await client.run(id, language, programs[language].change);
        const [restored] = await Promise.all([client.post(id, '/restore', { snapshotId: snapshot.id }), kill(id, 1)]);
        const lost = lostIn(await client.recovered(id, 2));
        const now = await client.shown(id, [language]);
        const earlier = lost.includes('n') ? [now] : [truth(1, [language]), truth(2, [language])];
        expect(restored.status === 200 ? [truth(1, [language])] : earlier, restored.body.detail).toContainEqual(now);
      },
    );

    test('a session that starts from a snapshot fails if its sandbox dies meanwhile, and another one can start', async () => {
      const id = await client.start(['python']);
      await client.run(id, 'python', slowToLoad(tested.killSecondsMax));
      const fromSnapshot = (await client.post(id, '/snapshots')).body.id;
      const metadata = { fork: newId('ses') };
      const forking = tested.holdfast.request('POST', '/v1/sessions', { fromSnapshot, metadata });
      const fork: Session = await eventually(async () => {
        const { body } = await tested.holdfast.request('GET', `/v1/sessions?metadata=fork:${metadata.fork}`);
        expect(body.items).toHaveLength(1);
        return body.items[0];
      });
      await kill(fork.id, 1);
      expect(await forking).toMatchObject({ status: 503 });
      const endReason = expect.stringMatching(/^(sandbox_|deleted_by_operator)/);
      expect(await client.read(fork.id)).toMatchObject({ status: 'failed', endReason });
      const second = await tested.holdfast.createSession({ fromSnapshot });
      expect(await client.shown(second.id, ['python'])).toEqual(truth(1, ['python']));
      expect(await client.shown(id, ['python'])).toEqual(truth(1, ['python']));
    });
  });
}
