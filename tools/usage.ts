/**
 * Reads the arguments of a script. With `--help` it prints how to use the script, and ends the process. If the arguments
 * are wrong, it also ends the process, with exit code 2.
 * @param read returns the arguments, or `undefined` if a value is wrong; `parseArgs` throws for a wrong option
 */
export function readArguments<T>(usage: string, read: () => T | undefined): T {
  if (process.argv.includes('--help')) {
    console.log(usage);
    process.exit();
  }
  try {
    const found = read();
    if (found !== undefined) return found;
  } catch (error) {
    if (!isWrongOption(error)) throw error;
  }
  console.error(usage);
  process.exit(2);
}

/** Whether an argument is a whole number from 1. */
export function isCount(argument: string | number): boolean {
  return Number.isSafeInteger(Number(argument)) && Number(argument) > 0;
}

function isWrongOption(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && `${error.code}`.startsWith('ERR_PARSE_ARGS_');
}
