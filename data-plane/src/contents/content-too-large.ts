/** A source gave more bytes than were to be kept. */
export class ContentTooLarge extends Error {
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`the content has more than ${bytesMax} bytes`);
    this.name = 'ContentTooLarge';
    this.bytesMax = bytesMax;
  }
}
