import { join } from 'node:path';

/** The folder of compiled modules. With it, a process starts in half the time. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/segue');

/** A pattern for the variables that set the clock: those of libfaketime, which move the date, and the time zone. */
const SETS_CLOCK = /^(?:LD_PRELOAD|FAKETIME\w*|TZ)$/;

/** Returns the variables that give a child process the clock of this process. */
export function clockVariables(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => SETS_CLOCK.test(name));
  return Object.fromEntries(entries.map(([name, value = '']) => [name, value]));
}

/**
 * Returns the environment of a process that a test starts: the paths of programs and compiled modules, the home folder
 * and the clock of this process, and nothing else of its environment.
 */
export function childEnvironment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ...clockVariables(), ...variables };
}
