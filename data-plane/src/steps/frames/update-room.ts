/** The outputs that one step may update: a reader of the step keeps in mind which ones are updated. */
const updatedIdsMax = 10_000;

/** The most that updates may add to the results of a step, all of which get the whole update if they have its id. */
const copiedBytesMax = 8 * 1024 * 1024;

/** The room that is left for the updates of a step's results. */
export class UpdateRoom {
  #results = new Map<string, number>();
  #copiedBytes = new Map<string, number>();
  #copiedBytesSum = 0;

  noteResult(displayId: string): void {
    this.#results.set(displayId, this.#resultsOf(displayId) + 1);
  }

  /** Takes room for an update, in the place of an earlier one of the same id. False, and nothing is taken, if there is too little. */
  take(displayId: string, bytes: number): boolean {
    const before = this.#copiedBytes.get(displayId);
    if (before === undefined && this.#copiedBytes.size === updatedIdsMax) return false;
    const copiedBytes = Math.max(0, this.#resultsOf(displayId) - 1) * bytes;
    const sum = this.#copiedBytesSum - (before ?? 0) + copiedBytes;
    if (sum > copiedBytesMax) return false;
    this.#copiedBytes.set(displayId, copiedBytes);
    this.#copiedBytesSum = sum;
    return true;
  }

  #resultsOf(displayId: string): number {
    return this.#results.get(displayId) ?? 0;
  }
}
