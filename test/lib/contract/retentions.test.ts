import { describe, expect, it } from 'vitest';
import { RETENTIONS, type RetentionName, retentionMsOf } from '../../../lib/contract/retentions.ts';
import { feedSort } from '../../../lib/records/feed-record.ts';
import { eventsPartition } from '../../../lib/records/outbox.ts';
import { KEY_RETENTION_MS } from '../../../lib/records/request-record.ts';
import { KNOWN_MS, MESSAGE_MS } from '../../../lib/webhooks/delivery-records.ts';
import { ENOUGH, FeedWorld } from '../events/world.ts';
import { NOW_MS } from '../support.ts';

const DAY_MS = 86_400_000;

const pairs = Object.entries(RETENTIONS).flatMap(([name, { days, outlives = [] }]) =>
  outlives.map((other): [string, number, RetentionName] => [name, days, other]),
);

describe('retentions', () => {
  it.each(pairs)('keep %s (%d days) for at least a day longer than %s', (_, days, other) => {
    expect(days).toBeGreaterThan(RETENTIONS[other].days);
  });

  it('relate records to the retries and messages that need them', () => {
    expect(pairs.map(([name, , other]) => [name, other])).toEqual(
      expect.arrayContaining([
        ['event', 'deadLetterQueue'],
        ['webhookKey', 'message'],
        ['workflowKey', 'redrive'],
        ['bulkLine', 'redrive'],
      ]),
    );
  });

  it('are those of the contract and of the code', () => {
    expect([KEY_RETENTION_MS, retentionMsOf('tombstone'), KNOWN_MS, MESSAGE_MS]).toEqual(
      [7, 30, 14, 14].map((days) => days * DAY_MS),
    );
    expect(retentionMsOf('bulkLine')).toBe(90 * DAY_MS);
  });
});

describe('the record of an event', () => {
  it('is kept longer than the messages of the queue, which arrive up to a day later', async () => {
    const world = new FeedWorld();
    await world.record('acme', 1, 1);
    await world.mover()('acme', ENOUGH);
    const expiresAtMs = (await world.store.read({ partition: eventsPartition('acme'), sort: feedSort(1) }))
      ?.expiresAtMs;
    expect(expiresAtMs).toBe(NOW_MS + 30 * DAY_MS);
    expect(expiresAtMs).toBeGreaterThan(NOW_MS + retentionMsOf('deadLetterQueue') + DAY_MS);
  });
});
