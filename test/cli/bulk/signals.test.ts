import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../lib/storage/folder.ts';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { segue, segueUntil } from '../../support/segue.ts';
import { creation, namesIn, summary, writeLines } from '../world.ts';

// A line that a kill left open is held for 15 seconds.
vi.setConfig({ testTimeout: MUCH_WORK_MS });

it.each([
  ['SIGKILL', null, ''],
  ['SIGTERM', 1, 'segue: stopped: run the same command again to continue\n'],
] as const)(
  'creates the rest, and nothing twice, if the same command runs again after %s',
  async (signal, code, last) => {
    const folder = temporaryFolder();
    const names = Array.from({ length: 100 }, (_, n) => `project ${String(n).padStart(3, '0')}`);
    const manifest = writeLines(
      folder,
      names.map((name) => creation({ name })),
    );
    const args = ['bulk', manifest, '--concurrency', '1'];
    const first = await segueUntil({ folder, said: '30 %', signal }, ...args);
    expect(first.code).toBe(code);
    expect(first.stderr).toContain(last);
    const made = (await namesIn(folder)).length;
    expect(made).toBeGreaterThanOrEqual(30);
    expect(made).toBeLessThan(100);
    const again = await segue(folder, ...args);
    expect([again.code, summary(again.stdout)]).toEqual([
      0,
      `${100 - made} created, 0 deleted, ${made} already done, 0 failed`,
    ]);
    expect(await namesIn(folder)).toEqual(names);
  },
);
