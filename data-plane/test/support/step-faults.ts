import type { Database } from '../../src/registry/connect.ts';

type Fault = {
  /** The SQLSTATE of the error. */
  state: string;
  /** The writes that fail: those of a row without an end, with an end, or with the end `succeeded`. */
  moment: 'intent' | 'end' | 'success';
  /** Only rows with this code. */
  code: string;
};

export type StepFaults = Awaited<ReturnType<typeof injectStepFaults>>;

/** Makes writes of steps fail with an error of the test's choice. A sequence counts them, because no rollback takes that back. */
export async function injectStepFaults({ sql }: Pick<Database, 'sql'>) {
  await sql.unsafe(`
    create table faults (state text, moment text, code text);
    create sequence fault_hits;
    create function fail_step() returns trigger language plpgsql as $$
      declare fault faults;
      begin
        select * into fault from faults f where f.code = new.code and case f.moment
          when 'intent' then new.finished_at is null
          when 'end' then new.finished_at is not null
          else new.status = 'succeeded'
        end;
        if fault.state is not null then
          perform nextval('fault_hits');
          raise exception 'injected' using errcode = fault.state;
        end if;
        return new;
      end $$;
    create trigger fail_step before insert or update on steps for each row execute function fail_step();`);
  const count = async () => {
    const [hits] = await sql<{ n: number }[]>`select last_value::int - (not is_called)::int as n from fault_hits`;
    return hits?.n ?? 0;
  };
  return {
    /** Returns a function that counts the writes that have failed since. */
    async begin({ state, moment, code }: Fault): Promise<() => Promise<number>> {
      const before = await count();
      await sql`insert into faults (state, moment, code) values (${state}, ${moment}, ${code})`;
      return async () => (await count()) - before;
    },
    async end(): Promise<void> {
      await sql`delete from faults`;
    },
  };
}
