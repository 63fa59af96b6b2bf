const asked = (name: string, fallback: number) => Number(process.env[name] ?? fallback);

/** The amounts of the stress tests. The defaults are for every run; a release is tested with a GiB, 1,000 deaths and 10,000 interrupts. */
export const amounts = {
  floodMegabytes: asked('HOLDFAST_TEST_FLOOD_MB', 64),
  deaths: asked('HOLDFAST_TEST_DEATHS', 30),
  interrupts: asked('HOLDFAST_TEST_INTERRUPTS', 200),
};
