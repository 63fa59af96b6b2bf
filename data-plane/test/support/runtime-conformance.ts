import { newId, Problem } from '@holdfast/specs/public';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Runtime, Sandbox, SandboxSpec } from '../../src/runtimes/runtime.ts';
import { sandboxName } from '../../src/sessions/sandbox-name.ts';
import { eventually } from './eventually.ts';

/** A runtime whose agents answer HTTP, and the ways to look behind its back. */
export type RuntimeUnderTest = {
  runtime: Runtime;
  /** Resolves when its agent answers. Needed if the test cannot reach its endpoint. */
  answers?(sandbox: Sandbox): Promise<void>;
  /** How long what has only just begun to start may take to end; by default it is gone once its launch has rejected. */
  abortedEndsWithinMs?: number;
  /** Opens a runtime of the same deployment in the same place, for data-planes on another database. `dispose` closes it. */
  ofAnotherDatabase(): Promise<Runtime>;
  /** Ends the session-agent from outside, as a crash would. */
  crash(sandbox: Sandbox): Promise<void>;
  /** Describes everything that still runs of this incarnation. */
  remains(uid: string): Promise<string[]>;
  /** Removes all that the test has made. */
  dispose(): Promise<void>;
};

/** The behaviour that every runtime must have. */
export function runtimeConformance(name: string, make: () => Promise<RuntimeUnderTest>): void {
  describe(`runtime ${name}`, () => {
    let tested: RuntimeUnderTest;
    let runtime: Runtime;

    beforeEach(async () => {
      tested = await make();
      runtime = tested.runtime;
    });
    afterEach(async () => {
      const sandboxes = await runtime.list();
      await Promise.all(sandboxes.map((sandbox) => runtime.destroy(sandbox)));
      await tested.dispose();
    });

    const spec = (): SandboxSpec => {
      const { networks, profiles } = runtime.capabilities;
      return { name: sandboxName(newId('ses'), 1), profile: profiles[0]?.name ?? '', network: networks[0] ?? 'none' };
    };
    const launch = (of: SandboxSpec = spec()) => runtime.launch(of, AbortSignal.timeout(20_000));
    const answering = (sandbox: Sandbox) => eventually(() => (tested.answers ?? answers)(sandbox));

    test('a launched sandbox has an endpoint at which its agent answers', async () => {
      const before = Date.now();
      const sandbox = await launch();
      expect(sandbox.phase).toBe('running');
      expect(sandbox.createdAt.getTime()).toBeGreaterThan(before - 1000);
      await answering(sandbox);
    });

    test('inspect and list show the same sandbox as launch', async () => {
      const wanted = spec();
      const { createdAt, ...sandbox } = await launch(wanted);
      const inspected = await runtime.inspect(wanted.name);
      expect(inspected).toMatchObject(sandbox);
      expect(await runtime.list()).toEqual([inspected]);
      expect(Math.abs(createdAt.getTime() - Number(inspected?.createdAt))).toBeLessThan(2000);
    });

    test('a name that was never launched is null', async () => {
      expect(await runtime.inspect(spec().name)).toBeNull();
    });

    test('a second launch of a name finds the first, also while that is still at it', async () => {
      const wanted = spec();
      const sandboxes = await Promise.all([launch(wanted), launch(wanted), launch(wanted)]);
      const again = await launch(wanted);
      expect(new Set([...sandboxes, again].map(({ uid }) => uid)).size).toBe(1);
      expect(await runtime.list()).toHaveLength(1);
    });

    test('a destroyed sandbox leaves nothing, and its name gets another uid', async () => {
      const wanted = spec();
      const first = await launch(wanted);
      expect(await tested.remains(first.uid)).not.toEqual([]);
      await runtime.destroy(first);
      expect(await tested.remains(first.uid)).toEqual([]);
      expect(await runtime.inspect(wanted.name)).toBeNull();
      const second = await launch(wanted);
      expect(second.uid).not.toBe(first.uid);
    });

    test('destroying a sandbox that is already gone succeeds', async () => {
      const sandbox = await launch();
      await Promise.all([runtime.destroy(sandbox), runtime.destroy(sandbox)]);
      await runtime.destroy(sandbox);
      await runtime.destroy({ name: spec().name, uid: newId('uid') });
    });

    test('a destroy that names another incarnation does nothing to the living one', async () => {
      const wanted = spec();
      const first = await launch(wanted);
      await runtime.destroy(first);
      const second = await launch(wanted);
      await runtime.destroy(first);
      expect(await runtime.inspect(wanted.name)).toMatchObject({ uid: second.uid, phase: 'running' });
      await answering(second);
    });

    test('a destroy that names a uid of another sandbox does nothing to either', async () => {
      const [one, other] = await Promise.all([launch(), launch()]);
      await runtime.destroy({ name: one.name, uid: other.uid });
      const uids = (await runtime.list()).map(({ uid, phase }) => `${uid} ${phase}`);
      expect(uids.sort()).toEqual([`${one.uid} running`, `${other.uid} running`].sort());
    });

    test('data-planes of another database neither see nor touch a sandbox', async () => {
      const another = await tested.ofAnotherDatabase();
      const wanted = spec();
      const [sandbox, crashed] = await Promise.all([launch(wanted), launch()]);
      await tested.crash(crashed);
      await eventually(async () => expect(await runtime.inspect(crashed.name)).toMatchObject({ phase: 'ended' }));
      // The cause of an end may become more exact.
      const listed = async () => (await runtime.list()).map(({ cause: _, ...rest }) => rest);
      const before = await listed();
      expect(before).toHaveLength(2);
      const ended: string[] = [];
      another.onEnded(({ uid }) => ended.push(uid));
      expect(await another.list()).toEqual([]);
      for (const { name, uid } of before) {
        expect(await another.inspect(name)).toBeNull();
        await another.destroy({ name, uid });
      }
      const launched = another.launch(wanted, AbortSignal.timeout(20_000));
      await expect(launched).rejects.toMatchObject({ name: 'SandboxError', reason: 'sandbox_start_failed' });
      expect(await listed()).toEqual(before);
      await answering(sandbox);
      expect(ended).toEqual([]);
    });

    test('a sandbox whose agent has crashed is shown as ended until it is destroyed', async () => {
      const sandbox = await launch();
      await tested.crash(sandbox);
      const ended = { name: sandbox.name, uid: sandbox.uid, phase: 'ended', endpoint: null };
      await eventually(async () => expect(await runtime.inspect(sandbox.name)).toMatchObject(ended));
      expect(await runtime.list()).toMatchObject([ended]);
      await runtime.destroy(sandbox);
      expect(await runtime.inspect(sandbox.name)).toBeNull();
      expect(await runtime.list()).toEqual([]);
    });

    test('a launch that finds an ended sandbox fails', async () => {
      const wanted = spec();
      await tested.crash(await launch(wanted));
      await eventually(async () => expect(await runtime.inspect(wanted.name)).toMatchObject({ phase: 'ended' }));
      await expect(launch(wanted)).rejects.toMatchObject({ name: 'SandboxError' });
    });

    test('list is complete while ten sandboxes are launched and ended side by side', async () => {
      const staying = await Promise.all(Array.from({ length: 5 }, () => launch()));
      const passing = Array.from({ length: 5 }, async () => runtime.destroy(await launch()));
      let finished = false;
      const all = Promise.all(passing).finally(() => {
        finished = true;
      });
      do {
        const listed = (await runtime.list()).filter(({ phase }) => phase === 'running').map(({ uid }) => uid);
        expect(listed).toEqual(expect.arrayContaining(staying.map(({ uid }) => uid)));
      } while (!finished);
      await all;
      const names = (await runtime.list()).map((sandbox) => sandbox.name);
      expect(names.sort()).toEqual(staying.map((sandbox) => sandbox.name).sort());
    });

    test('a sandbox is never shown as ended while it is being launched', async () => {
      const wanted = Array.from({ length: 3 }, spec);
      let finished = false;
      const all = Promise.all(wanted.map((one) => launch(one))).finally(() => {
        finished = true;
      });
      do {
        const [listed, inspected] = await Promise.all([runtime.list(), runtime.inspect(wanted[0]?.name ?? '')]);
        expect([...listed, inspected].filter((sandbox) => sandbox?.phase === 'ended')).toEqual([]);
      } while (!finished);
      await all;
    });

    test('an aborted launch rejects with the reason and leaves nothing', async () => {
      const reason = new Error('the client has gone');
      // A launch that has ended before it was seen could not be aborted: another one is.
      for (let sandbox: Sandbox | null = null; ; await runtime.destroy(sandbox)) {
        const wanted = spec();
        const aborted = new AbortController();
        let refusal: unknown;
        const ended = runtime.launch(wanted, aborted.signal).catch((error) => {
          refusal = error;
          return null;
        });
        await eventually(async () => expect(await runtime.inspect(wanted.name)).not.toBeNull());
        aborted.abort(reason);
        sandbox = await ended;
        if (sandbox) continue;
        expect(refusal).toBe(reason);
        break;
      }
      const nothingIsLeft = async () => expect(await runtime.list()).toEqual([]);
      await eventually(nothingIsLeft, tested.abortedEndsWithinMs ?? 0);
      await expect(runtime.launch(spec(), AbortSignal.abort(reason))).rejects.toBe(reason);
      expect(await runtime.list()).toEqual([]);
    });

    test('a network class that the runtime does not offer is refused before anything is made', async () => {
      for (const network of ['none', 'internet'] as const) {
        if (runtime.capabilities.networks.includes(network)) continue;
        const refusal = launch({ ...spec(), network });
        await expect(refusal).rejects.toBeInstanceOf(Problem);
        await expect(refusal).rejects.toMatchObject({ slug: 'unsupported-by-runtime' });
      }
      expect(runtime.capabilities.networks.length).toBeGreaterThan(0);
      expect(await runtime.list()).toEqual([]);
    });
  });
}

async function answers({ endpoint }: Sandbox): Promise<void> {
  const response = await fetch(`${endpoint}/healthz`, { headers: { connection: 'close' } });
  expect(response.status).toBe(200);
  await response.text();
}
