import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { clockVariables } from '../support/child-environment.ts';

/** What a process tells of a function's start and of its first request. */
const Started = z.strictObject({
  exports: z.array(z.string()),
  /** The status of an answer, the outcome of a task, or the name of what was thrown. */
  outcome: z.union([z.number(), z.string()]),
  /** Modules of undici that have been loaded by the end. */
  undici: z.array(z.string()),
});
export type Started = z.infer<typeof Started>;

// leaves at once: a kept-alive connection would hold the process
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

/** Imports a bundle in a Node of its own, as Lambda does, and gives its handler one event. */
export function start(file: string, event: unknown, environment: Readonly<Record<string, string>>): Promise<Started> {
  return run([START, pathToFileURL(file).href], environment, event);
}

/** Runs code that loads undici for certain, to see that it would be noticed. */
export function startUndici(): Promise<Started> {
  return run([`${TELL} new Headers(); tell([], 0);`], {});
}

/** @param event what it reads from standard input: an event is longer than an argument may be */
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
