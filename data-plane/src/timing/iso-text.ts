/** As `toISOString`. V8 looks up the time zone for each text, and most dates of a program are of the same second as the one before. */
export const isoText: (date: Date) => string = createIsoText();

function createIsoText(): (date: Date) => string {
  let secondMs = Number.NaN;
  let second = '';
  return (date) => {
    const ms = date.getTime();
    const rest = ms - secondMs;
    if (rest >= 0 && rest < 1000) return `${second}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`;
    const text = date.toISOString();
    secondMs = Math.floor(ms / 1000) * 1000;
    second = text.slice(0, -4);
    return text;
  };
}
