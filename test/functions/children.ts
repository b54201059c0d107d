import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { clockVariables } from '../support/child-environment.ts';

/** The report of a process on a function's start and first request. */
const Started = z.strictObject({
  exports: z.array(z.string()),
  /** The status of the answer, the outcome of the task, or the name of the error. */
  outcome: z.union([z.number(), z.string()]),
  /** The loaded modules of undici. */
  undici: z.array(z.string()),
});
type Started = z.infer<typeof Started>;

// exits at once, because a kept connection would hold the process
const TELL = `
  const tell = (exports, outcome) => {
    const undici = process.moduleLoadList.filter((name) => name.includes('undici'));
    process.stdout.write(JSON.stringify({ exports, outcome, undici }), () => process.exit());
  };`;

const START = `${TELL}
  const [file] = process.argv.slice(1);
  const event = process.getBuiltinModule('node:fs').readFileSync(0, 'utf8');
  const context = { awsRequestId: 'first', getRemainingTimeInMillis: () => 10_000 };
  import(file).then(async (module) => {
    const nameOf = ({ name, message }) => name === 'Error' ? message : name;
    const answer = await module.handler(JSON.parse(event), context).catch((error) => ({ outcome: nameOf(error) }));
    tell(Object.keys(module), answer?.statusCode ?? answer?.outcome ?? 'done');
  });`;

/** Imports a bundle in its own process, as Lambda does, and calls its handler with one event. */
export function start(file: string, event: unknown, environment: Readonly<Record<string, string>>): Promise<Started> {
  return run([START, pathToFileURL(file).href], environment, event);
}

/** Imports a bundle in its own process. */
export async function importOnly(file: string, environment: Readonly<Record<string, string>>): Promise<void> {
  await run([`${TELL} import(process.argv[1]).then(() => tell([], 0));`, pathToFileURL(file).href], environment);
}

/** Loads undici in a process. */
export function startUndici(): Promise<Started> {
  return run([`${TELL} new Headers(); tell([], 0);`], {});
}

/** @param event passed by standard input, because it may be too long for an argument */
async function run(
  script: readonly string[],
  env: Readonly<Record<string, string>>,
  event: unknown = null,
): Promise<Started> {
  const running = promisify(execFile)(process.execPath, ['--eval', ...script], {
    env: { ...clockVariables(), ...env },
  });
  running.child.stdin?.end(JSON.stringify(event));
  const { stdout } = await running;
  return Started.parse(JSON.parse(stdout));
}
