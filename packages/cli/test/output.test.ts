import { describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { segueHere, segueIn } from '../../../test/support/segue.ts';
import { printTable, tableOf } from '../table.ts';

/** Prints a table of numbers with their squares. */
async function printed(numbers: Iterable<number>): Promise<{ readonly count: number; readonly text: string }> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  const columns = { NUMBER: (n: number) => n, SQUARE: (n: number) => (n > 1 ? n * n : undefined), TEXT: () => 'a\nb' };
  return { count: await printTable(numbers, tableOf('None.', columns), { out, heading: out }), text };
}

describe('a table', () => {
  it('aligns its columns below headings, and keeps a row on its line', async () => {
    expect(await printed([1, 12])).toEqual({
      count: 2,
      text: 'NUMBER  SQUARE  TEXT\n1               a\\u000ab\n12      144     a\\u000ab\n',
    });
  });

  it('prints nothing without rows, and every row of many', async () => {
    expect(await printed([])).toEqual({ count: 0, text: '' });
    const { count, text } = await printed(Array.from({ length: 250 }, (_, n) => n));
    expect([count, text.trimEnd().split('\n')].flat().length).toBe(1 + 1 + 250);
  });
});

describe('--json', () => {
  it('prints the result of a change as one object, before or after the command', async () => {
    const folder = temporaryFolder();
    const added = JSON.parse((await segueHere(folder, '--json', 'company', 'add', 'acme')).stdout);
    expect(added).toEqual({
      companyId: 'acme',
      keyId: expect.any(String),
      apiKey: expect.stringMatching(/^seg_/),
      companyState: 'active',
    });
    const revoked = JSON.parse((await segueHere(folder, 'company', 'revoke', added.keyId, '--json')).stdout);
    expect(revoked).toMatchObject({
      companyId: 'acme',
      keyId: added.keyId,
      activeKeys: 0,
      expiredKeys: 0,
      liveSources: [],
    });
  });
});

it('a terminal shows headings and errors in style', async () => {
  const folder = temporaryFolder();
  const style = (kind: string, text: string) => `<${kind}>${text}</${kind}>`;
  await segueHere(folder, 'company', 'add', 'acme');
  expect((await segueIn(folder, { style }, 'company', 'list')).stdout).toMatch(/^<heading>COMPANY .*\n<\/heading>acme/);
  expect((await segueIn(folder, { style }, 'source', 'remove', 'x')).stderr).toMatch(
    /^<error>segue:<\/error> no webhook/,
  );
});

it('--version prints the version', async () => {
  expect(await segueHere(temporaryFolder(), '--version')).toMatchObject({
    code: 0,
    stdout: `${packageJson.version}\n`,
  });
});
