import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Runs files folder by folder, so that files with the same installation follow each other. */
export default class ByPath extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  }
}
