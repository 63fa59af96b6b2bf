import type { CommMessage } from '@holdfast/specs/public';
import type { OpenKernel } from './open-kernel.ts';
import { eventsOfStep, type SeenEvent } from './step-events.ts';

type State = Record<string, unknown>;

/**
 * A front end as far as widgets need one: it keeps the states of the models, and gives the output of a step to the Output widget that
 * asks for it, as Jupyter's do.
 */
export function createFrontEnd(open: OpenKernel) {
  const models = new Map<string, State>();
  /** The events that each Output widget shows. */
  const captured = new Map<string, SeenEvent[]>();
  const awaiting = new Set<string>();

  async function run(code: string, comm?: CommMessage) {
    const { stepId, end, events } = await eventsOfStep(open.kernel, code, comm);
    const shown: SeenEvent[] = [];
    for (const event of events) {
      if (event.type === 'comm') update(event);
      else show(event, { stepId, shown });
    }
    return { end, events, shown };
  }

  function show(event: SeenEvent, { stepId, shown }: { stepId: string; shown: SeenEvent[] }): void {
    const widget = [...models].find(([, { msg_id }]) => msg_id === stepId)?.[0];
    const target = widget === undefined ? shown : outputOf(widget);
    if (event.type === 'output_cleared' && event.wait && widget) awaiting.add(widget);
    else if (event.type === 'output_cleared') target.length = 0;
    else {
      if (widget && awaiting.delete(widget)) target.length = 0;
      target.push(event);
    }
  }

  function update({ commId, kind, data }: CommMessage): void {
    const { method, state } = data as { method?: string; state?: State };
    if (kind === 'close') models.delete(commId);
    else if (kind === 'open' || method === 'update') models.set(commId, { ...models.get(commId), ...state });
  }

  function outputOf(commId: string): SeenEvent[] {
    const events = captured.get(commId) ?? [];
    captured.set(commId, events);
    return events;
  }

  const message = (commId: string, data: CommMessage['data'], rest: Partial<CommMessage> = {}) =>
    run('', { commId, kind: 'message', targetName: null, data, metadata: {}, buffers: [], ...rest });

  return {
    models,
    run,
    message,
    /** The output that the Output widget shows. */
    output: (commId: string) => captured.get(commId) ?? [],
    /** The id of the only model of this name. */
    modelOf(name: string): string {
      const found = [...models].filter(([, { _model_name }]) => _model_name === name);
      if (found.length !== 1) throw new Error(`${found.length} models of the name ${name}`);
      return (found[0] as [string, State])[0];
    },
    /** The person changes a value. */
    change: (commId: string, state: Record<string, string | number>) =>
      message(commId, { method: 'update', state, buffer_paths: [] }),
    click: (commId: string) => message(commId, { method: 'custom', content: { event: 'click' } }),
  };
}
