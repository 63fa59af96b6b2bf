// The module `holdfast` of Node programs that a step starts. `NODE_PATH` is for `require`, so an ES module needs `createRequire` for it.

import { ownOperations } from '../../node/globals/operations.js';

export const { call, session, OperationError, PolicyViolation } = ownOperations();
