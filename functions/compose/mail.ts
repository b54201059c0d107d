import { credentials, ledger, openMailTransport, storage } from '#platform';
import { companyIdsIn } from '../../lib/credentials/company-record.ts';
import { eventFeed } from '../../lib/events/feed.ts';
import { digestSender, type SendDigests } from '../../lib/hosted/people/mail-digests.ts';
import { mailSettings } from './environment.ts';

/** Opens the sender of e-mails to the members of managed projects; `undefined` if the operator has not set it up. */
export async function openMailSender(): Promise<SendDigests | undefined> {
  const settings = mailSettings();
  if (!settings) return undefined;
  // Another function moves the events into the feed.
  const feed = eventFeed({ store: ledger(), now: Date.now, move: async () => 'none' });
  const send = await openMailTransport(settings.from);
  return digestSender({ storage: storage(), now: Date.now, feed, send, domains: settings.domains });
}

/** Lists the ids of all companies. */
export function companyIds(): AsyncIterable<string> {
  return companyIdsIn(credentials());
}
