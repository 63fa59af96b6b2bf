import type { RecoveryReport } from '@holdfast/specs/public';

/** The frame has a bound, which names and reasons together keep well below. */
const charactersMax = 400_000;

/** The event that announces what became of a context's memory. If the report is too long, `'*'` among the lost stands for the rest. Pure. */
export function resetEvent(contextEpoch: number, { restored, replayed, lost }: RecoveryReport) {
  let room = charactersMax;
  const fits = (text: string) => {
    room -= text.length + 4;
    return room > 0;
  };
  const shownLost = lost.filter(({ name, reason }) => fits(name + reason));
  const [shownReplayed, shownRestored] = [replayed, restored].map((names) => names.filter(fits));
  const isCut = room <= 0;
  return {
    contextEpoch,
    restored: shownRestored,
    replayed: shownReplayed,
    lost: [...shownLost.map(({ name }) => name), ...(isCut ? ['*'] : [])],
    reasons: [...shownLost.map(({ reason }) => reason), ...(isCut ? ['the report is too long to name the rest'] : [])],
  };
}
