import type { Socket } from 'node:net';
import { Connection, type Limits, type Served } from './connection.ts';

/** The open connections of a server. One timer looks at all of them. */
export class Connections {
  readonly #open = new Set<Connection>();
  readonly #limits: Limits;
  readonly #checkMs: number;
  #checks: NodeJS.Timeout | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#checkMs = Math.min(limits.stalledMs ?? limits.idleMs, limits.idleMs) / 4;
  }

  get size(): number {
    return this.#open.size;
  }

  serve(socket: Socket, served: Served): void {
    const connection = new Connection(socket, served, this.#limits);
    this.#open.add(connection);
    socket.on('close', () => this.#closed(connection));
    this.#checks ??= setInterval(() => this.#check(), this.#checkMs).unref();
  }

  /** Closes each as soon as it has answered. */
  end(): void {
    for (const connection of this.#open) connection.end();
  }

  destroy(): void {
    for (const connection of this.#open) connection.destroy();
  }

  #check(): void {
    for (const connection of this.#open) connection.check(this.#checkMs);
  }

  #closed(connection: Connection): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    clearInterval(this.#checks);
    this.#checks = undefined;
  }
}
