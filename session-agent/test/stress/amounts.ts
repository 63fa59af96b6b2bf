const asked = (name: string, fallback: number) => Number(process.env[name] ?? fallback);

/** The amounts of the stress tests. The defaults are for every run; a release is tested with a GiB, 1,000 deaths, 10,000 interrupts and 1,000 orders of output. */
export const amounts = {
  floodMegabytes: asked('HOLDFAST_TEST_FLOOD_MB', 64),
  deaths: asked('HOLDFAST_TEST_DEATHS', 30),
  orders: asked('HOLDFAST_TEST_ORDERS', 250),
  interrupts: asked('HOLDFAST_TEST_INTERRUPTS', 200),
};
