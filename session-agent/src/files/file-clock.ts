/** Longer than the period of the clock that stamps files, which is 10 ms where the kernel has 100 Hz. */
export const fileClockMs = 12;
