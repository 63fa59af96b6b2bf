/**
 * Ends the agent if no data-plane has sent a request for `leaseMs`, so that sandboxes do not outlive their control plane. Until a session
 * is bound, the limit is `unboundMs`, as a sandbox may have to wait longer to be claimed.
 */
export function createLease(
  deps: { onExpired: () => void; isBound: () => boolean },
  options: { leaseMs: number; unboundMs: number },
): { renew: () => void; cancel: () => void } {
  let heardAtMs = performance.now();
  let wasBound = deps.isBound();
  let timer = setTimeout(check, silenceMsMax());

  function silenceMsMax(): number {
    return wasBound ? options.leaseMs : options.unboundMs;
  }

  function check() {
    const leftMs = heardAtMs + silenceMsMax() - performance.now();
    if (leftMs <= 0) return deps.onExpired();
    timer = setTimeout(check, Math.ceil(leftMs));
  }

  return {
    renew() {
      heardAtMs = performance.now();
      if (wasBound || !deps.isBound()) return;
      wasBound = true;
      clearTimeout(timer);
      check();
    },
    cancel: () => clearTimeout(timer),
  };
}
