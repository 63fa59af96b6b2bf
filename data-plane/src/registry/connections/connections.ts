import type postgres from 'postgres';
import { createSilence, tickMs } from './silence.ts';

/** Work that needs a connection to itself. */
export type Task = {
  /** Calls `done` at its end. */
  start(driver: postgres.Sql, done: (end: TaskEnd) => void): void;
  /** The task gets no connection, or no answer. A call after the task has ended has no effect. */
  fail(error: Error): void;
};

/** `answered`: the database was heard. `broken`: the connection failed, and serves nothing any more. */
export type TaskEnd = 'answered' | 'unheard' | 'broken';

type ConnectionsOptions = {
  open(onclose: () => void): postgres.Sql;
  max: number;
  /** The time limit of a task, and of its wait for a connection. */
  seconds: number;
};

type Connection = { driver: postgres.Sql; isOpen: boolean; task: Task | null; sinceTick: number };

const closeMs = 5000;

/** After a connection was refused, tasks wait this long for the others before one more is tried. */
const refusedTicks = 2;

/** A server that is alive answers before this, because it has the time limit of the task, too. */
const graceTicks = 4;

/**
 * At most `max` connections, opened when they are needed. Each has one task at a time, so nothing waits behind the statement of another
 * task, and is used until it closes and never again, because the driver's state outlives its socket. A task that gets no connection or
 * no answer fails at its time limit. If the database is silent, it fails sooner: after two seconds tasks are refused, and after
 * four all connections are given up with the tasks that they have.
 */
export function createConnections({ open, max, seconds }: ConnectionsOptions) {
  const connections = new Set<Connection>();
  const idle: Connection[] = [];
  const waiting: { task: Task; sinceTick: number }[] = [];
  const silence = createSilence(() => open(() => {}));
  const limitTicks = (seconds * 1000) / tickMs;
  let tick = 0;
  let openAgainAtTick = 0;
  let timer: NodeJS.Timeout | null = null;
  let closing: PromiseWithResolvers<void> | null = null;

  function run(task: Task): void {
    if (closing || silence.isAway) {
      task.fail(closing ? ended() : silent());
      return;
    }
    timer ??= setInterval(onTick, tickMs).unref();
    const connection = idle.pop();
    if (connection) {
      start(connection, task);
    } else {
      waiting.push({ task, sinceTick: tick });
      openAsNeeded();
    }
  }

  function start(connection: Connection, task: Task): void {
    connection.task = task;
    connection.sinceTick = tick;
    task.start(connection.driver, (end) => {
      if (end === 'answered') silence.heard();
      if (connection.task !== task) return;
      if (end === 'broken') replace(connection);
      else serveNext(connection);
    });
  }

  function serveNext(connection: Connection): void {
    connection.task = null;
    const isLeft = connections.has(connection);
    const next = isLeft ? waiting.shift() : null;
    if (next) start(connection, next.task);
    else if (isLeft) idle.push(connection);
    noteIfAtRest();
  }

  function openAsNeeded(): void {
    if (connections.size > 0 && tick < openAgainAtTick) return;
    const opening = [...connections].filter(({ isOpen }) => !isOpen).length;
    for (let missing = waiting.length - opening; missing > 0 && connections.size < max; missing--) openOne();
  }

  function openOne(): void {
    const driver = open(() => onClosed(connection));
    const task: Task = { start() {}, fail: onRefused };
    const connection: Connection = { driver, isOpen: false, task, sinceTick: tick };
    connections.add(connection);
    driver`select 1`.then(
      () => {
        if (connection.task !== task) return;
        silence.heard();
        connection.isOpen = true;
        serveNext(connection);
      },
      (error) => void giveUp(connection, error),
    );
  }

  function onRefused(error: Error): void {
    openAgainAtTick = tick + refusedTicks;
    // The others serve the waiting tasks in their turn.
    if (connections.size === 0) failWaiting(error);
  }

  /** A connection that closes while it opens was refused. */
  function onClosed(connection: Connection): void {
    if (!connection.isOpen) return;
    remove(connection);
    openAsNeeded();
    // The driver fails the task, a transaction some microtasks later. A task that it forgets would wait for good.
    const { task } = connection;
    if (task) setImmediate(() => connection.task === task && giveUp(connection, closed()));
  }

  /** Before the driver knows that the connection is closed, it takes further statements and answers none. */
  function replace(connection: Connection): void {
    connection.task = null;
    void giveUp(connection, closed());
    openAsNeeded();
  }

  function remove(connection: Connection): void {
    connections.delete(connection);
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
  }

  async function giveUp(connection: Connection, error: Error): Promise<void> {
    const { task } = connection;
    connection.task = null;
    remove(connection);
    task?.fail(error);
    noteIfAtRest();
    await connection.driver.end({ timeout: 0 });
  }

  function failWaiting(error: Error, ticks = 0): void {
    while (waiting[0] && tick - waiting[0].sinceTick >= ticks) waiting.shift()?.task.fail(error);
  }

  function onTick(): void {
    tick += 1;
    if (!isBusy() && !silence.isAway) {
      stopTicking();
      return;
    }
    silence.tick();
    if (silence.isAway) failWaiting(silent());
    failWaiting(fault('CONNECTIONS_BUSY', `no connection to the database became free within ${seconds} s`), limitTicks);
    for (const connection of [...connections]) {
      const isLate = connection.task && tick - connection.sinceTick > limitTicks + graceTicks;
      if (silence.isHopeless) void giveUp(connection, silent());
      else if (isLate) void giveUp(connection, fault('STATEMENT_UNANSWERED', `no answer within ${seconds} s`));
    }
    openAsNeeded();
  }

  function stopTicking(): void {
    if (timer) clearInterval(timer);
    timer = null;
    silence.heard();
  }

  const isBusy = () => waiting.length > 0 || [...connections].some(({ task }) => task !== null);

  function noteIfAtRest(): void {
    if (closing && !isBusy()) closing.resolve();
  }

  return {
    /** Runs the task on the next connection that is free. */
    run,
    /** Lets running tasks finish for up to 5 s, unless the database is away. */
    async close(): Promise<void> {
      closing ??= Promise.withResolvers<void>();
      failWaiting(ended());
      const late = setTimeout(closing.resolve, silence.isAway ? 0 : closeMs);
      noteIfAtRest();
      await closing.promise;
      clearTimeout(late);
      stopTicking();
      await Promise.all([silence.close(), ...[...connections].map((connection) => giveUp(connection, ended()))]);
    },
  };
}

const closed = () => fault('CONNECTION_CLOSED', 'the connection to the database was closed');
const ended = () => fault('CONNECTION_ENDED', 'the connections to the database are closed');
const silent = () => fault('DATABASE_SILENT', 'the database has not answered anything for two seconds');
const fault = (code: string, message: string) => Object.assign(new Error(message), { code });
