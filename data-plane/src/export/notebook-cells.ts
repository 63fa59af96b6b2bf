import { createHash } from 'node:crypto';
import { notebookOutputs } from './notebook-outputs.ts';
import { actorIn, type StepRead } from './read-steps.ts';

/** The cells of a notebook, in format 4.5 of nbformat. A step that failed is marked so that a run of the notebook goes on after it. */
export async function* cellsOf(steps: AsyncIterable<StepRead>): AsyncGenerator<object> {
  for await (const { row, events, isReset } of steps) {
    if (isReset) yield markdownCell(row.id, 'The memory of the context began anew here.');
    yield {
      cell_type: 'code',
      id: row.id,
      metadata: {
        holdfast: { stepId: row.id, ...actorIn(row), status: row.status, ...(!events && { outputOmitted: true }) },
        ...(row.status !== 'succeeded' && { tags: ['raises-exception'] }),
      },
      source: row.code,
      execution_count: row.executionCount,
      outputs: events ? notebookOutputs(events, row.executionCount) : [],
    };
  }
}

const markdownCell = (stepId: string, source: string) => ({
  cell_type: 'markdown',
  id: createHash('sha256').update(stepId).digest('hex').slice(0, 16),
  metadata: {},
  source,
});
