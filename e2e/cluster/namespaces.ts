/** Where deploy/ puts things. */
export const holdfastNamespace = 'holdfast';
export const sandboxNamespace = 'holdfast-sandboxes';

/** Where the tests put a pod of their own. */
export const testNamespace = 'holdfast-end-to-end';

/** What says that an installation is the tests' own, and of what it was made. */
export const ownMark = 'holdfast.dev/end-to-end';
