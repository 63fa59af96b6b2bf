/** The times of a Poisson process, in milliseconds from 0: the gaps are exponentially distributed, and independent of each other. Pure. */
export function arrivalTimes(
  random: () => number,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): number[] {
  const times: number[] = [];
  for (let at = 0; ; ) {
    at -= (Math.log(1 - random()) / perSecond) * 1000;
    if (at >= seconds * 1000) return times;
    times.push(at);
  }
}
