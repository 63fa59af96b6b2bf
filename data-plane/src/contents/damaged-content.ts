/** A stored content is not what it was when it was stored. Reading it again gives nothing better. */
export class DamagedContent extends Error {
  override name = 'DamagedContent';
}
