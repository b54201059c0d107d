import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../lib/service/retry.ts';
import { DELIVERIES, MAX_OVER_LIMIT } from '../../lib/webhooks/delivery-queue.ts';
import { KNOWN_MS, MESSAGE_MS } from '../../lib/webhooks/delivery-records.ts';
import { MAPPING_LIMITS } from '../../lib/webhooks/mapping/limits.ts';
import { groupOf, read } from './world.ts';

const PAGE = read('docs/webhook-deliveries.md');
const { leaseMs, retry } = DELIVERIES;
const DAY_MS = 86_400_000;

describe('docs/webhook-deliveries.md', () => {
  it('has the limits of a mapping', () => {
    const { timeMs, heapMiB, resultBytes, levels, expressionCharacters } = MAPPING_LIMITS;
    const rows = [
      `| processor time | ${timeMs / 1_000} seconds |`,
      `| memory | ${heapMiB} MiB |`,
      `| result | ${resultBytes / 1_048_576} MiB of JSON, ${levels} levels |`,
      `| text of the expression | ${expressionCharacters.toLocaleString('en-US')} characters |`,
    ];
    for (const row of rows) expect(PAGE).toContain(row);
    expect(PAGE).toContain(`${MAX_OVER_LIMIT} times in all`);
  });

  it('has the times that a delivery takes', () => {
    expect([1, 2, 3, retry.maxAttempts].map((n) => backoffMs(n, retry, 1) / 1_000)).toEqual([2, 4, 8, 3_600]);
    expect([leaseMs, retry.openMs, KNOWN_MS, MESSAGE_MS]).toEqual([60_000, DAY_MS, 14 * DAY_MS, 14 * DAY_MS]);
    for (const said of [
      'after 2 seconds, 4, 8, up to an\n   hour',
      `after ${retry.maxAttempts} attempts or 24 hours`,
      'for 14 days after its delivery has ended',
      'leases a delivery for a minute',
      'at the latest 14 days after its receipt',
    ]) {
      expect(PAGE).toContain(said);
    }
  });

  it('has every command of dead letters, and no other', () => {
    const named = new Set([...PAGE.matchAll(/dead-letters (\w+)/g)].map(([, name]) => name));
    expect([...named].sort()).toEqual(
      groupOf('dead-letters')
        ?.commands.map((command) => command.name())
        .sort(),
    );
  });
});
