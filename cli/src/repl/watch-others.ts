import type { Session, Step, StepEvent } from '@holdfast/sdk';
import { note } from '../output/progress.ts';
import { styles } from '../output/style.ts';
import { printable } from '../output/table.ts';
import { write } from '../output/write.ts';

/** The steps of this program, whose events it shows itself. */
export function createOwnSteps() {
  const ids = new Set<string>();
  let beginning: Promise<void> = Promise.resolve();
  return {
    /** A step of this program is on its way, and has no id yet. */
    begin() {
      let over = () => {};
      beginning = new Promise((resolve) => {
        over = resolve;
      });
      let isKnown = false;
      return {
        over,
        as(id: string): void {
          if (!isKnown) ids.add(id);
          isKnown = true;
          over();
        },
      };
    },

    async has(id: string): Promise<boolean> {
      if (!ids.has(id)) await beginning;
      return ids.has(id);
    },

    /** Nothing more comes of the step. */
    forget: (id: string) => void ids.delete(id),
  };
}

export type OwnSteps = ReturnType<typeof createOwnSteps>;

type Others = {
  signal: AbortSignal;
  ownSteps: Pick<OwnSteps, 'has' | 'forget'>;
  /** Shows something while a person may be typing. */
  above(show: () => Promise<void>): Promise<void>;
  display(event: StepEvent): Promise<void>;
};

/** Shows the steps of all others while they run, each below its actor and its code. Resolves when the session has ended. */
export async function watchOthers(session: Session, { signal, ownSteps, above, display }: Others): Promise<void> {
  const known = new Set<string>();
  for await (const event of session.events({ from: 'now', signal })) {
    if (event.type === 'session') continue;
    const isOwn = await ownSteps.has(event.stepId);
    if (isOwn && event.type === 'finished') ownSteps.forget(event.stepId);
    if (isOwn) continue;
    if (!known.has(event.stepId)) {
      known.add(event.stepId);
      const step = await session.steps.get(event.stepId, { signal });
      await above(() => write(process.stdout, headOf(step)));
    }
    if (event.type === 'finished') known.delete(event.stepId);
    await above(() => (event.type === 'finished' ? showEnd(event.step) : display(event)));
  }
}

function headOf({ actor, actorName, language, code }: Step): string {
  const style = styles(process.stdout);
  const lines = code.trimEnd().split('\n');
  const name = actorName ? `${actorName} (${actor})` : actor;
  const head = style('bold', `${printable(name)} runs ${printable(language)}`);
  return [head, ...lines.map((line) => `${style('dim', '|')} ${printable(line)}`), ''].join('\n');
}

async function showEnd({ status, cause }: Step): Promise<void> {
  if (status !== 'succeeded') note(cause ? `${status}: ${cause.message}` : status);
}
