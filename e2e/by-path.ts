import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Folder by folder, so that files that want the same installation follow each other. */
export default class ByPath extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  }
}
