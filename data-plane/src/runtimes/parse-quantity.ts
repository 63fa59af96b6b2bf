const factors: Record<string, number> = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * The number that a quantity such as `500m`, `2` or `512Mi` stands for, or null if the text is not a quantity. Pure.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function parseQuantity(value: string): number | null {
  const [, digits, suffix = ''] = /^(\d{1,15}(?:\.\d{1,9})?)(m|k|Ki|[MGTPE]i?)?$/.exec(value) ?? [];
  const factor = factors[suffix];
  return digits === undefined || factor === undefined ? null : Number(digits) * factor;
}
