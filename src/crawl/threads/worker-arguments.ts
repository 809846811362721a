/**
 * Flags of the program that a thread must not inherit: `--input-type` is for the text of `node -e` and makes Node refuse any file. They are
 * left alone otherwise: given by hand, flags that hold for the whole process would be refused too.
 */
export const workerArguments = (): { execArgv?: string[] } =>
  process.execArgv.some((flag) => flag.startsWith('--input-type')) ? { execArgv: [] } : {};
