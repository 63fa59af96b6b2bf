/** One thing that was looked at. `advice` says what to do if it is not fine. */
export type Finding = { check: string; status: 'ok' | 'warning' | 'fault'; detail: string; advice?: string };

export const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail });

export const warning = (check: string, detail: string, advice: string): Finding => ({
  check,
  status: 'warning',
  detail,
  advice,
});

export const fault = (check: string, detail: string, advice: string): Finding => ({
  check,
  status: 'fault',
  detail,
  advice,
});
