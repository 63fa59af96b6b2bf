/** The first `count` rows of a list whose latest comes first, in their order. */
export async function latest<Row>(rows: AsyncIterable<Row>, count: number): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) if (found.push(row) === count) break;
  return found.reverse();
}
