/** Ends the agent when no data-plane has been heard for the lease, so that nothing outlives a control plane that is gone. */
export function createLease(
  deps: { ended: () => void },
  options: { leaseMs: number },
): { heard: () => void; cancel: () => void } {
  let heardAtMs = performance.now();
  let timer = setTimeout(check, options.leaseMs);

  function check() {
    const leftMs = heardAtMs + options.leaseMs - performance.now();
    if (leftMs <= 0) return deps.ended();
    timer = setTimeout(check, Math.ceil(leftMs));
  }

  return {
    heard() {
      heardAtMs = performance.now();
    },
    cancel: () => clearTimeout(timer),
  };
}
