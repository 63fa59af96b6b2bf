import type { KernelMessage, KernelRequest } from '@holdfast/specs/kernel';
import type { Cause } from '@holdfast/specs/public';
import type { Kernel } from '../kernel.ts';
import { payloadOf } from '../messages/parse-message.ts';

type Answer = Extract<
  KernelMessage,
  { type: 'symbols' | 'completions' | 'inspection' | 'parsed' | 'snapshot' | 'recovered' }
>;
type Pending = { wanted: Answer['type']; resolve: (answer: never) => void; reject: (error: Error) => void };

/** Asks a kernel questions about its state, and matches each answer to its question by number and type. */
export function createKernelQuestions(send: (request: KernelRequest) => void) {
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let death: Error | null = null;

  function ask<Type extends Answer['type']>(wanted: Type, request: (id: number) => KernelRequest) {
    if (death) return Promise.reject<Extract<Answer, { type: Type }>>(death);
    const id = ++lastId;
    return new Promise<Extract<Answer, { type: Type }>>((resolve, reject) => {
      pending.set(id, { wanted, resolve, reject });
      send(request(id));
    });
  }

  return {
    symbols: async () => (await ask('symbols', (id) => ({ type: 'symbols', id }))).symbols,
    complete: async (at) => payloadOf(await ask('completions', (id) => ({ type: 'complete', id, ...at }))),
    inspect: async (at) => payloadOf(await ask('inspection', (id) => ({ type: 'inspect', id, ...at }))),
    parse: async (code) => payloadOf(await ask('parsed', (id) => ({ type: 'parse', id, code }))),
    snapshot: async (wanted) => void (await ask('snapshot', (id) => ({ type: 'snapshot', id, ...wanted }))),
    recover: async (wanted: { folder: string; timeoutMs: number }) =>
      payloadOf(await ask('recovered', (id) => ({ type: 'recover', id, ...wanted }))),
    /** Drops an answer without a question. */
    receive(answer: Answer): void {
      const question = pending.get(answer.id);
      if (question?.wanted !== answer.type) return;
      pending.delete(answer.id);
      question.resolve(answer as never);
    },
    fail(cause: Cause): void {
      death = new Error(`the kernel is dead: ${cause.message ?? cause.code}`);
      for (const { reject } of pending.values()) reject(death);
      pending.clear();
    },
  } satisfies Pick<Kernel, 'symbols' | 'complete' | 'inspect' | 'parse' | 'snapshot' | 'recover'> &
    Record<string, unknown>;
}
