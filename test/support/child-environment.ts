import { join } from 'node:path';

/** Node keeps compiled modules here: a process starts in half the time. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/segue-tests');

/** The variables that set the clock: libfaketime's, which move the date, and the time zone. */
const SETS_CLOCK = /^(?:LD_PRELOAD|FAKETIME\w*|TZ)$/;

/** The variables by which a child process has the clock of this one. */
export function clockVariables(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => SETS_CLOCK.test(name));
  return Object.fromEntries(entries.map(([name, value = '']) => [name, value]));
}

/**
 * The environment of a process that a test starts: where to find programs and compiled modules, the home folder and
 * the clock of this process, and nothing else of its environment.
 */
export function childEnvironment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ...clockVariables(), ...variables };
}
