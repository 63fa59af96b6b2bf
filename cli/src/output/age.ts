const units = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** How long ago a time was, such as `5m`. */
export function age(time: string | null, now = Date.now()): string | null {
  if (time === null) return null;
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  for (const [unit, size] of units) if (seconds >= size * 2) return `${Math.floor(seconds / size)}${unit}`;
  return `${seconds}s`;
}
