import { runFairly } from '../deliveries/fair-schedule.ts';
import { type Deadline, earlier } from '../service/deadline.ts';
import {
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  runDeadline,
} from './background-function.ts';

/** Sends the e-mails of a company that are due, and counts them. */
type SendDue = (companyId: string, deadline: Deadline) => Promise<MailRun>;

/** The result of a run: how many e-mails were sent, postponed and given up, and the first error. */
interface MailRun {
  readonly done: number;
  readonly postponed: number;
  readonly dead: number;
  readonly failure?: unknown;
}

/** The time reserved for the last e-mail of a run, in milliseconds. */
const LAST_MS = 15_000;

/** How many companies get their e-mails at the same time. */
const MAX_RUNNING = 10;
/** How long the e-mails of a company are sent before those of others, in milliseconds. The next run sends the rest. */
const TURN_MS = 10_000;

/** Sends the e-mails of all companies that are due. A company whose e-mails are many, slow or fail delays no other one. */
export async function sendAll(send: SendDue, companyIds: AsyncIterable<string>, deadline: Deadline): Promise<MailRun> {
  const all: { -readonly [Name in keyof MailRun]: MailRun[Name] } = { done: 0, postponed: 0, dead: 0 };
  await runFairly(await Array.fromAsync(companyIds), {
    maxRunning: MAX_RUNNING,
    maxRunningOfGroup: 1,
    pathOf: (companyId) => [companyId, companyId],
    isTimeLeft: () => deadline.remainingMs() > 0,
    async run(companyId) {
      try {
        const { done, postponed, dead, failure } = await send(companyId, turnOf(deadline));
        all.done += done;
        all.postponed += postponed;
        all.dead += dead;
        all.failure ??= failure;
      } catch (error) {
        all.failure ??= error;
      }
    },
  });
  return all;
}

/** Returns the deadline of a company whose turn begins now. */
function turnOf(deadline: Deadline): Deadline {
  return earlier(deadline, earlier(deadline, TURN_MS).remainingMs());
}

/** Makes the Lambda handler that sends the e-mails that are due. */
export function mailHandler(
  open: () => Promise<SendDue | undefined>,
  companyIds: () => AsyncIterable<string>,
  options: BackgroundOptions,
): BackgroundFunction {
  return backgroundFunction(
    'sendMail',
    async (_event, context) => {
      const deadline = earlier(runDeadline(context, options), LAST_MS);
      const send = await open();
      if (!send) return { result: undefined };
      const { failure, ...counts } = await sendAll(send, companyIds(), deadline);
      return { result: undefined, counts, failure };
    },
    options,
  );
}
