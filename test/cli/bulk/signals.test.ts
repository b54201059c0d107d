import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../lib/storage/folder.ts';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { segue, segueUntil } from '../../support/segue.ts';
import { creation, namesIn, summary, writeLines } from '../manifests.ts';

// a line that a kill left open is held for a quarter of a minute
vi.setConfig({ testTimeout: MUCH_WORK_MS });

it.each([
  ['SIGKILL', null, ''],
  ['SIGINT', 1, 'segue: stopped: run the same command again to continue\n'],
  ['SIGTERM', 1, 'segue: stopped: run the same command again to continue\n'],
] as const)(
  'after %s in its midst the same command makes what is left, and nothing twice',
  async (signal, code, last) => {
    const folder = temporaryFolder();
    const names = Array.from({ length: 400 }, (_, n) => `project ${String(n).padStart(3, '0')}`);
    const manifest = writeLines(
      folder,
      names.map((name) => creation({ name })),
    );
    const args = ['bulk', manifest, '--concurrency', '1'];
    const first = await segueUntil({ folder, said: '30 %', signal }, ...args);
    expect(first.code).toBe(code);
    expect(first.stderr).toContain(last);
    const made = (await namesIn(folder)).length;
    expect(made).toBeGreaterThanOrEqual(120);
    expect(made).toBeLessThan(400);
    const again = await segue(folder, ...args);
    expect([again.code, summary(again.stdout)]).toEqual([
      0,
      `${400 - made} created, 0 deleted, ${made} already done, 0 failed`,
    ]);
    expect(await namesIn(folder)).toEqual(names);
  },
);
