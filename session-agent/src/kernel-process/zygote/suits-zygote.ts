/**
 * Variables that act when an interpreter starts or when a preloaded library is imported: Python's own, the dynamic loader's and the
 * C library's, locales, the folder of a user's packages, and the variables that numerical and plotting libraries read.
 */
const startVariables =
  /^(PYTHON|LD_|GLIBC_|MALLOC_|LANG$|LANGUAGE$|LC_|HOME$|XDG_|OMP_|KMP_|GOMP_|OPENBLAS_|GOTO_|BLIS_|MKL_|VECLIB_|NUMEXPR_|NPY_|NUMPY_|PANDAS_|ARROW_|MPL)/;

/**
 * Whether a kernel with these variables behaves the same if it is forked from a process that was started with the variables `own`. Pure.
 */
export function suitsZygote(env: Record<string, string>, own: Record<string, string>): boolean {
  return Object.entries(env).every(([name, value]) => own[name] === value || !startVariables.test(name));
}
