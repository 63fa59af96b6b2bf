/** The source gave more bytes than the caller allows. */
export class ContentTooLarge extends Error {
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`the content has more than ${bytesMax} bytes`);
    this.name = 'ContentTooLarge';
    this.bytesMax = bytesMax;
  }
}
