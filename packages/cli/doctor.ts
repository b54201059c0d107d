import type { Command } from 'commander';
import { SEGUE } from '../../lib/contract/segue-command.ts';
import { ROUTES } from '../../lib/contract/wire-routes.ts';
import { SegueError } from '../client/error.ts';
import type { SegueClient } from '../client/segue-client.ts';
import { accountFor, addUrlOption, clientOf, DEFAULT_URL, NOT_LOGGED_IN, namedUrl } from './api-client.ts';
import { refusal } from './api-errors.ts';
import type { CliContext } from './deployment.ts';
import { CliError, formatError } from './io.ts';
import { tableOf } from './table.ts';

/** The result of one check. `detail` says what is right, or what to do. */
interface Check {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
}

/** How much the clocks may differ, in seconds. Segue refuses a start date that differs by 5 minutes. */
const CLOCK_SECONDS = { warning: 60, failed: 300 };
const TIMEOUT_MS = 5_000;

/** Adds the command `segue doctor`. */
export function addDoctorCommand(segue: Command, context: CliContext): void {
  const command = segue.command('doctor');
  addUrlOption(command).action(async ({ url }: { url?: string }) => {
    const checks = context.stackName() ? checksOfStack(context) : checksOfApi(context, url);
    const failed: string[] = [];
    await context.progress.during('Checking', () => context.printList(noted(checks, failed), CHECKS));
    if (failed.length > 0) throw new CliError(`failed: ${failed.join(', ')}`);
  });
}

const CHECKS = tableOf<Check>('Nothing to check.', {
  CHECK: ({ check }) => check,
  STATE: ({ state }) => state,
  DETAIL: ({ detail }) => detail,
});

async function* noted(checks: AsyncIterable<Check>, failed: string[]): AsyncGenerator<Check> {
  for await (const check of checks) {
    if (check.state === 'failed') failed.push(check.check);
    yield check;
  }
}

async function* checksOfStack({ withDeployment }: CliContext): AsyncGenerator<Check> {
  yield node();
  yield await check('stack', () =>
    withDeployment(async ({ companies }) => {
      const first = await companies.list().next();
      return ok(first.done ? `it answers, and has no company yet: run ${SEGUE} company add` : 'it answers');
    }),
  );
}

async function* checksOfApi({ env }: CliContext, url: string | undefined): AsyncGenerator<Check> {
  yield node();
  const account = await accountFor(env, url);
  const baseUrl = account?.url ?? namedUrl(env, url) ?? DEFAULT_URL;
  const { companyId = 'nobody', apiKey = 'none' } = account ?? {};
  const client = await clientOf({ baseUrl, companyId, apiKey, timeoutMs: TIMEOUT_MS });
  const explain = (error: unknown) => refusal(error, { url: baseUrl });
  yield* inOrder(explain, {
    async API() {
      await client.health();
      return ok(`${baseUrl} answers`);
    },
    clock: () => clockOf(baseUrl),
    credentials: async () => (account ? credentialsOf(client, companyId) : { state: 'failed', detail: NOT_LOGGED_IN }),
    async service() {
      await client.listProjects({ limit: 1 });
      return ok('it lists the projects of the company');
    },
  });
}

/** The checks without which the later ones tell nothing. */
const NEEDED: readonly string[] = ['API', 'credentials'];

/** Runs checks one after the other. After a needed one that is not ok, it skips the others. */
async function* inOrder(
  explain: (error: unknown) => unknown,
  checks: Readonly<Record<string, () => Promise<Finding>>>,
): AsyncGenerator<Check> {
  let missing: string | undefined;
  for (const [name, work] of Object.entries(checks)) {
    if (missing !== undefined) {
      yield { check: name, state: 'skipped', detail: `it needs the check ${missing} to be ok` };
      continue;
    }
    const result = await check(name, work, explain);
    yield result;
    if (result.state !== 'ok' && NEEDED.includes(name)) missing = name;
  }
}

type Finding = Pick<Check, 'state' | 'detail'>;
const ok = (detail: string): Finding => ({ state: 'ok', detail });

async function check(
  name: string,
  work: () => Promise<Finding>,
  explain: (error: unknown) => unknown = (error) => error,
): Promise<Check> {
  try {
    return { check: name, ...(await work()) };
  } catch (error) {
    return { check: name, state: 'failed', detail: formatError(explain(error)) };
  }
}

function node(): Check {
  return { check: 'Node', ...ok(process.version) };
}

async function clockOf(baseUrl: string): Promise<Finding> {
  const response = await fetch(baseUrl + ROUTES.health.path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  await response.arrayBuffer();
  const theirs = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return { state: 'warning', detail: 'the API does not say its time' };
  const seconds = Math.round(Math.abs(Date.now() - theirs) / 1_000);
  if (seconds < CLOCK_SECONDS.warning) return ok('it agrees with that of the API');
  return {
    state: seconds < CLOCK_SECONDS.failed ? 'warning' : 'failed',
    detail: `it differs from that of the API by ${seconds} seconds: set it by NTP, because a start date must be near the time`,
  };
}

async function credentialsOf(client: SegueClient, companyId: string): Promise<Finding> {
  try {
    await client.listLanguages();
    return ok(`the API accepts the key of ${companyId}`);
  } catch (error) {
    if (!(error instanceof SegueError) || error.type !== 'scope-missing') throw error;
    return { state: 'warning', detail: `the API accepts the key of ${companyId}, which lacks the scope read` };
  }
}
