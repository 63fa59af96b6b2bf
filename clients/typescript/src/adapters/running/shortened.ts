/** A text for a model: the middle of a long one is left out. */
export function shortened(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const half = Math.floor(charactersMax / 2);
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters left out]\n${text.slice(text.length - half)}`;
}
