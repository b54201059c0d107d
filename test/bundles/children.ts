import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { clockVariables } from '../support/child-environment.ts';

/** The report of a process on the start and first request of a function. */
const Started = z.strictObject({
  /** The result of each event: the status of the answer, the outcome of the task, or the name of the error. */
  outcomes: z.array(z.union([z.number(), z.string()])),
  /** The modules of Node that were loaded, of those that no function uses. */
  unused: z.array(z.string()),
});
type Started = z.infer<typeof Started>;

// The process exits at once, because a kept connection would hold it.
const TELL = `
  const tell = (outcomes, unneeded = /undici|internal\\/util\\/diff|worker_threads/) => {
    const unused = process.moduleLoadList.filter((name) => unneeded.test(name));
    process.stdout.write(JSON.stringify({ outcomes, unused }), () => process.exit());
  };`;

const START = `${TELL}
  const [file, remainingMs] = process.argv.slice(1);
  const events = process.getBuiltinModule('node:fs').readFileSync(0, 'utf8');
  const context = { awsRequestId: 'first', getRemainingTimeInMillis: () => Number(remainingMs) };
  const nameOf = ({ name, message }) => name === 'Error' ? message : name;
  import(file).then(async (module) => {
    const outcomes = [];
    for (const event of JSON.parse(events)) {
      const answer = await module.handler(event, context).catch((error) => ({ outcome: nameOf(error) }));
      outcomes.push(answer?.statusCode ?? answer?.outcome ?? 'done');
    }
    tell(outcomes);
  });`;

/**
 * Imports a bundle in its own process, as Lambda does, and calls its handler with some events.
 * @param remainingMs the time that each call has, in milliseconds
 */
export function start(
  file: string,
  events: readonly unknown[],
  environment: Readonly<Record<string, string>>,
  remainingMs = 10_000,
): Promise<Started> {
  return run([START, pathToFileURL(file).href, String(remainingMs)], environment, events);
}

/** Imports a bundle in its own process. Its start needs no compression either. */
export function importOnly(file: string, environment: Readonly<Record<string, string>>): Promise<Started> {
  return run(
    [`${TELL} import(process.argv[1]).then(() => tell([], /undici|zlib/));`, pathToFileURL(file).href],
    environment,
  );
}

/**
 * Runs a bundle with some events in its own process.
 * @param events events, passed on standard input because they may be too long for an argument
 */
async function run(
  script: readonly string[],
  env: Readonly<Record<string, string>>,
  events: readonly unknown[] = [],
): Promise<Started> {
  const running = promisify(execFile)(process.execPath, ['--eval', ...script], {
    env: { ...clockVariables(), ...env },
  });
  running.child.stdin?.end(JSON.stringify(events));
  const { stdout } = await running;
  return Started.parse(JSON.parse(stdout));
}
