import { expect, it } from 'vitest';
import { mailHandler } from '../../../lib/background/mail-handler.ts';
import type { LogLine } from '../../../lib/service/log.ts';

/** Runs the handler for three companies. The second one fails. */
async function logOf(remainingMs: number): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  async function* companyIds() {
    yield* ['one', 'two', 'three'];
  }
  const send = async (companyId: string) => {
    if (companyId === 'two') throw Object.assign(new Error('450 tina@example.com is busy'), { code: 'EENVELOPE' });
    return { done: 2, postponed: 1, dead: 0 };
  };
  const handler = mailHandler(async () => send, companyIds, { now: () => 0, log: (line) => lines.push(line) });
  await handler({}, { awsRequestId: 'request', getRemainingTimeInMillis: () => remainingMs });
  return lines;
}

it('the e-mails of a company that fail stop those of no other one, and the log has no address', async () => {
  const lines = await logOf(55_000);
  expect(lines).toMatchObject([
    { operation: 'sendMail', done: 4, postponed: 2, dead: 0, cause: { code: 'EENVELOPE' } },
  ]);
  expect(JSON.stringify(lines)).not.toContain('@');
});

it('no e-mail is sent when the time is over', async () => {
  expect(await logOf(20_000)).toMatchObject([{ done: 0, postponed: 0, dead: 0 }]);
});
