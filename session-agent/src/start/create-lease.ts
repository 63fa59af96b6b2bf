/**
 * Ends the agent when no data-plane has been heard for too long, so that nothing outlives a control plane that is gone. One that serves
 * no session yet waits to be claimed, and may do so for longer.
 */
export function createLease(
  deps: { ended: () => void; isBound: () => boolean },
  options: { leaseMs: number; unboundMs: number },
): { heard: () => void; cancel: () => void } {
  let heardAtMs = performance.now();
  let wasBound = deps.isBound();
  let timer = setTimeout(check, silenceMsMax());

  function silenceMsMax(): number {
    return wasBound ? options.leaseMs : options.unboundMs;
  }

  function check() {
    const leftMs = heardAtMs + silenceMsMax() - performance.now();
    if (leftMs <= 0) return deps.ended();
    timer = setTimeout(check, Math.ceil(leftMs));
  }

  return {
    heard() {
      heardAtMs = performance.now();
      if (wasBound || !deps.isBound()) return;
      wasBound = true;
      clearTimeout(timer);
      check();
    },
    cancel: () => clearTimeout(timer),
  };
}
