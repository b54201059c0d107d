import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMPANY_SUSPENDED } from '../../../lib/credentials/company-record.ts';
import { openSqlite, temporaryFolder } from '../../lib/storage/folder.ts';
import { heldNow } from '../../lib/support.ts';
import { segueHere } from '../../support/segue.ts';
import { creation, namesIn, summary, writeLines } from './manifests.ts';

/** The same in every run: a line with another end date is another line. */
const END = { endDateUtc: '2099-01-01T00:00:00Z' };

/** So many lines without custom ids; one of them has a typo unless it is corrected. */
const lines = (count: number, isCorrected: boolean, fieldsOf = (_line: number): object => ({})) =>
  Array.from({ length: count }, (_, line) => {
    const { create } = creation({ name: `line ${String(line).padStart(3, '0')}`, ...END, ...fieldsOf(line) });
    const { name, ...rest } = create;
    return { create: line === 7 && !isCorrected ? { nmae: name, ...rest } : create };
  });
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a manifest that is corrected and run again', () => {
  it('of twenty lines without custom ids, one with a typo, makes twenty projects', async () => {
    const folder = temporaryFolder();
    const run = async (isCorrected: boolean) => {
      const { code, stdout } = await segueHere(folder, 'bulk', writeLines(folder, lines(20, isCorrected)));
      return [code, summary(stdout)];
    };
    expect(await run(false)).toEqual([1, '19 created, 0 deleted, 0 already done, 1 failed']);
    expect(await run(true)).toEqual([0, '1 created, 0 deleted, 19 already done, 0 failed']);
    expect(await run(true)).toEqual([0, '0 created, 0 deleted, 20 already done, 0 failed']);
    expect(await namesIn(folder)).toHaveLength(20);
  });

  it('of two hundred lines with custom ids makes what was refused', async () => {
    const folder = temporaryFolder();
    const withIds = (isCorrected: boolean) => lines(200, isCorrected, (line) => ({ customId: `id/${line}` }));
    const first = await segueHere(folder, 'bulk', writeLines(folder, withIds(false)));
    expect(summary(first.stdout)).toBe('199 created, 0 deleted, 0 already done, 1 failed');
    const again = await segueHere(folder, 'bulk', writeLines(folder, withIds(true).reverse()));
    expect([again.code, summary(again.stdout)]).toEqual([0, '1 created, 0 deleted, 199 already done, 0 failed']);
    expect(await namesIn(folder)).toHaveLength(200);
  });

  it('makes as many projects as there are equal lines, wherever they are', async () => {
    const folder = temporaryFolder();
    const twin = creation({ name: 'twin', ...END });
    const run = async (...all: unknown[]) => summary((await segueHere(folder, 'bulk', writeLines(folder, all))).stdout);
    expect(await run(twin, creation({ name: 'a', ...END }), twin)).toBe(
      '3 created, 0 deleted, 0 already done, 0 failed',
    );
    expect(await run(twin, twin, creation({ name: 'b' }), twin)).toBe('2 created, 0 deleted, 2 already done, 0 failed');
    expect(await namesIn(folder)).toEqual(['a', 'b', 'twin', 'twin', 'twin']);
  });

  it('makes everything again in a run of another name', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'a' })]);
    for (const run of ['May', 'June', 'June']) await segueHere(folder, 'bulk', manifest, '--run', run);
    expect(await namesIn(folder)).toEqual(['a', 'a']);
  });
});

describe('--failed', () => {
  it('writes the refused lines byte for byte, in the order of the manifest, for nobody else to read', async () => {
    const folder = temporaryFolder();
    const manifest = join(folder, 'manifest.jsonl');
    const refused = ['{"create": {"näme":  "x"}}\t\r', 'no JSON \u202e', ' {"delete":{}}'];
    const good = JSON.stringify(creation({ name: 'good' }));
    writeFileSync(manifest, `\ufeff${refused[0]}\n${good}\n\n${refused[1]}\n${refused[2]}`);
    const failed = join(folder, 'failed.jsonl');
    const results = join(folder, 'results.jsonl');
    for (const path of [failed, results]) writeFileSync(path, 'of an earlier run', { mode: 0o644 });
    const { code, stdout } = await segueHere(folder, 'bulk', manifest, '--failed', failed, '--results', results);
    expect(code).toBe(1);
    expect(stdout).toContain(`Refused lines in ${failed}: 3\n`);
    expect(readFileSync(failed, 'utf8')).toBe(refused.map((line) => `${line}\n`).join(''));
    expect([mode(failed), mode(results)]).toEqual(['600', '600']);
  });

  it('writes what can be corrected and run', async () => {
    const folder = temporaryFolder();
    const failed = join(folder, 'failed.jsonl');
    const manifest = writeLines(folder, lines(20, false));
    await segueHere(folder, 'bulk', manifest, '--failed', failed);
    writeFileSync(failed, readFileSync(failed, 'utf8').replace('nmae', 'name'));
    const again = await segueHere(folder, 'bulk', failed);
    expect([again.code, summary(again.stdout)]).toEqual([0, '1 created, 0 deleted, 0 already done, 0 failed']);
    expect(await namesIn(folder)).toHaveLength(20);
  });

  it('is an empty file if no line was refused', async () => {
    const folder = temporaryFolder();
    const failed = join(folder, 'failed.jsonl');
    await segueHere(folder, 'bulk', writeLines(folder, [creation({ name: 'a' })]), '--failed', failed);
    expect([readFileSync(failed, 'utf8'), mode(failed)]).toEqual(['', '600']);
  });

  it('is not the file of the results or the manifest', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'a' })]);
    const other = join(folder, 'other');
    for (const args of [
      ['--failed', manifest],
      ['--failed', other, '--results', other],
    ]) {
      const { code, stderr } = await segueHere(folder, 'bulk', manifest, ...args);
      expect([code, stderr]).toEqual([
        2,
        'segue: the failed lines would overwrite another file of this run: choose another name\n',
      ]);
    }
    expect(await namesIn(folder)).toEqual([]);
  });
});

describe('--validate-only', () => {
  it('says what is wrong where, creates nothing and leaves the lines to a later run', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [...lines(20, false), 'no JSON']);
    const { code, stdout, stderr } = await segueHere(folder, 'bulk', manifest, '--validate-only');
    expect([code, summary(stdout)]).toEqual([1, '19 valid, 0 already done, 2 failed']);
    expect(stderr).toContain('line 8: Segue.Terminal.invalid-project  ');
    expect(stderr).toContain('  /nmae unknown-field: ');
    expect(stderr).toContain('  /name required: ');
    expect(stderr).toContain('line 21: Segue.Terminal.malformed-json  ');
    expect(await namesIn(folder)).toEqual([]);
    const run = await segueHere(folder, 'bulk', manifest);
    expect(summary(run.stdout)).toBe('19 created, 0 deleted, 0 already done, 2 failed');
  });

  it('writes no record at all, not even of the sandbox company', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ customId: 'x' }), { delete: { scope: 'project', customId: 'x' } }]);
    const { code, stdout } = await segueHere(folder, 'bulk', manifest, '--validate-only');
    expect([code, summary(stdout)]).toEqual([0, '2 valid, 0 already done, 0 failed']);
    const storage = openSqlite(heldNow, folder);
    for (const partition of ['store', 'companies', 'company/sandbox']) {
      expect((await storage.list(partition, { prefix: '', limit: 9, maxBytes: 9 })).items).toEqual([]);
    }
  });

  it('refuses a suspended sandbox company, as a run does', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation()]);
    await segueHere(folder, 'bulk', writeLines(folder, [creation()], 'first.jsonl'));
    await segueHere(folder, 'company', 'suspend', 'sandbox');
    for (const options of [['--validate-only'], []]) {
      expect(await segueHere(folder, 'bulk', manifest, ...options)).toMatchObject({
        code: 1,
        stderr: `segue: ${COMPANY_SUSPENDED}\n`,
      });
    }
  });

  it('finds custom ids that are in use, but not by the line itself', async () => {
    const folder = temporaryFolder();
    const line = creation({ customId: 'x' });
    await segueHere(folder, 'bulk', writeLines(folder, [line]));
    const manifest = writeLines(folder, [line, creation({ customId: 'x', name: 'Another' })]);
    const { code, stdout } = await segueHere(folder, 'bulk', manifest, '--validate-only');
    expect([code, stdout]).toEqual([1, '0 valid, 1 already done, 1 failed\nSegue.Terminal.custom-id-in-use  1\n']);
  });

  it('refuses a company that does not exist', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation()]);
    const { code } = await segueHere(folder, 'bulk', manifest, '--validate-only', '--company', 'typo-co');
    expect(code).toBe(1);
  });
});
