import type { Queries } from '../queries.ts';
import type { ProcessRow } from '../schema/processes.ts';

export type ProcessEnd = Pick<
  ProcessRow,
  'id' | 'status' | 'exitCode' | 'signal' | 'cause' | 'log' | 'truncated' | 'usage'
> & {
  replicaId: string;
  /** Null: not known. Then the row keeps what it has. */
  pid: number | null;
  cwd: string | null;
  /** How long ago its end was seen: the registry may have been away. */
  endedMsAgo: number;
};

/** The session is written first: its budget, which the end settles, may change its status in the same statement. */
const text = `
  with budget as materialized (
    select id from budgets where id = (select budget_id from processes where id = $1) for update
  ), active as (
    update sessions set last_activity_at = now()
    where id = (select session_id from processes where id = $1) and (select count(*) from budget) >= 0
    returning id, tenant
  ), ended as (
    update processes set
      status = $2, exit_code = $3::int, signal = $4, cause = $5::text::jsonb, log = $6, truncated = $7, usage = $8::text::jsonb,
      pid = coalesce($9::int, pid), cwd = coalesce($10, cwd), replica_id = null,
      finished_at = greatest(started_at, clock_timestamp() - $12::float8 * interval '1 millisecond')
    where id = $1 and status = 'running' and (replica_id = $11 or $2 <> 'lost') and (select count(*) from active) > 0
    returning id, session_id, number, actor, actor_name, key_id, started_at, finished_at
  )
  insert into audit_entries (session_id, tenant, actor, actor_name, key_id, operation, arguments, decision, duration_ms)
  select session_id, tenant, actor, actor_name, key_id, 'process.end',
    jsonb_build_object('processId', e.id, 'number', number, 'status', $2, 'exitCode', $3::int, 'signal', $4, 'cause', $5::text::jsonb ->> 'code'),
    'allowed', extract(epoch from finished_at - started_at) * 1000
  from ended e join active on active.id = session_id`;

/**
 * Records the end of a process. That it is lost is a conclusion, which only the replica that follows it may draw.
 * @returns false: it had ended already, another replica follows it, or its session is gone
 */
export async function endProcess({ sql }: Queries, end: ProcessEnd): Promise<boolean> {
  const values = [
    end.id,
    end.status,
    end.exitCode,
    end.signal,
    end.cause && JSON.stringify(end.cause),
    end.log,
    end.truncated,
    end.usage && JSON.stringify(end.usage),
    end.pid,
    end.cwd,
    end.replicaId,
    end.endedMsAgo,
  ];
  const { count } = await sql.unsafe(text, values, { prepare: true });
  return count > 0;
}
