import { createSessionSchema } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

test('many requests with one client key on two replicas make one session, and all get it ready', async () => {
  const replicas = [await given.replica([]), await given.replica([])] as const;
  const asked = { clientKey: 'notebook', metadata: { first: 'yes' } };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => replicas[index % 2 === 0 ? 0 : 1].createSession(asked)),
  );
  const made = answers.filter((session) => !('existed' in session));
  expect(made).toHaveLength(1);
  expect(new Set(answers.map(({ id, status }) => `${id} ${status}`))).toEqual(new Set([`${made[0]?.id} active`]));
  expect(given.livingNames()).toHaveLength(1);
});

test('a repeat by Idempotency-Key gets the first answer, whether the session was made or found', async () => {
  const replica = await given.replica([]);
  const asked = { clientKey: 'repeated' };
  const made = await replica.createSession(asked, { idempotencyKey: 'a' });
  const found = await replica.createSession(asked, { idempotencyKey: 'b' });
  expect(found).toEqual({ ...made, existed: true });
  expect(await replica.createSession(asked, { idempotencyKey: 'a' })).toEqual(made);
  expect(await replica.createSession(asked, { idempotencyKey: 'b' })).toEqual(found);
});

test('a client key is free again when its session has ended, and each tenant has its own', async () => {
  const replica = await given.replica([]);
  const asked = { clientKey: 'ended' };
  const first = await replica.createSession(asked);
  const elsewhere = await replica.createSession(asked, { tenant: 'other' });
  expect(elsewhere.id).not.toBe(first.id);
  await replica.verbs.endSession({ caller: replica.caller, id: first.id, to: 'completed' });
  const next = await replica.createSession(asked);
  expect(next).toMatchObject({ clientKey: 'ended', status: 'active' });
  expect(next).not.toHaveProperty('existed');
  const { items } = await replica.verbs.listSessions({ caller: replica.caller, clientKey: 'ended', limit: 10 });
  expect(items.map(({ id }) => id)).toEqual([next.id, first.id]);
});

test('a session is found by a request that could not make it', async () => {
  const replica = await given.replica([], { HOLDFAST_DEFAULT_POLICY: '{"preset":"safe-edit"}' });
  const caller = { ...replica.caller, scopes: new Set(['run'] as const) };
  const create = (body: object) => replica.verbs.createSession({ caller, request: createSessionSchema.parse(body) });
  const beyond = [
    [{ policy: 'unrestricted' }, 'forbidden'],
    [{ profile: 'large' }, 'unsupported-by-runtime'],
  ] as const;
  for (const [wish, slug] of beyond) {
    await expect(create({ clientKey: 'found', ...wish })).rejects.toMatchObject({ slug });
  }
  const { id } = await create({ clientKey: 'found' });
  for (const [wish] of beyond)
    expect(await create({ clientKey: 'found', ...wish })).toMatchObject({ id, existed: true });
});

test('a client that leaves waits no longer for the session of another request', async () => {
  const replica = await given.replica([]);
  const launch = Promise.withResolvers<void>();
  given.cluster.beforeLaunch = () => launch.promise;
  const first = replica.createSession({ clientKey: 'slow' });
  const creating = async () => await given.db.sql`select id from sessions where client_key = 'slow'`;
  await eventually(async () => expect(await creating()).toHaveLength(1));
  const request = createSessionSchema.parse({ clientKey: 'slow' });
  const leaving = new AbortController();
  const second = replica.verbs.createSession({ caller: replica.caller, request, signal: leaving.signal });
  leaving.abort();
  await expect(second).rejects.toMatchObject({ slug: 'session-starting' });
  launch.resolve();
  expect(await first).toMatchObject({ status: 'active' });
});

test('a session that ends while another request wants its key is not taken for a want of room', async () => {
  const replica = await given.replica([]);
  // As if the key had been taken at the first insert only.
  await given.owner.sql.unsafe(`
    create sequence inserts;
    create function refuse_first() returns trigger language plpgsql security definer as $$ begin
      return case when nextval('public.inserts') > 1 then new end;
    end $$;
    create trigger refuse_first before insert on sessions for each row execute function refuse_first()`);
  expect(await replica.createSession({ clientKey: 'passing' })).toMatchObject({ status: 'active' });
});

test('a session that takes the key before the second attempt is found', async () => {
  const replica = await given.replica([]);
  const { id } = await replica.createSession({ clientKey: 'spare' });
  // As if one session had ended after the first insert, and another one had taken its key before the second.
  await given.owner.sql.unsafe(`
    create sequence inserts;
    create function refuse() returns trigger language plpgsql security definer as $$ begin
      if nextval('public.inserts') = 2 then
        update public.sessions set client_key = 'taken' where client_key = 'spare';
      end if;
      return null;
    end $$;
    create trigger refuse before insert on sessions for each row execute function refuse()`);
  expect(await replica.createSession({ clientKey: 'taken' })).toMatchObject({ id, existed: true });
});
