/** The namespaces that deploy/ installs into. */
export const holdfastNamespace = 'holdfast';
export const sandboxNamespace = 'holdfast-sandboxes';

/** The namespace for the tests' own pods. */
export const testNamespace = 'holdfast-end-to-end';

/** The annotation that marks an installation as the tests' own and describes its options. */
export const ownMark = 'holdfast.dev/end-to-end';
