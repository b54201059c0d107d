import { appendFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHere } from '../../../cli/bulk/here.ts';
import { run } from '../../../cli/run.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { CompanyError } from '../../../lib/credentials/companies.ts';
import { COMPANY_SUSPENDED, NO_SUCH_COMPANY } from '../../../lib/credentials/company-record.ts';
import { recordStart } from '../../../lib/credentials/sandbox.ts';
import { claimStore } from '../../../lib/storage/store-owner.ts';
import { hosted } from '../../lib/hosted/fixture.ts';
import { openSqlite, temporaryFolder } from '../../lib/storage/folder.ts';
import { addCompany, segueHere } from '../../support/segue.ts';
import { creation, namesIn, summary, writeLines } from './manifests.ts';

function linkTo(path: string): string {
  symlinkSync(path, `${path}.link`);
  return `${path}.link`;
}

describe('segue bulk', () => {
  it('carries out a manifest, tells every fault with its line, and says so by its exit code', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [
      creation({ name: 'one' }),
      '',
      creation({ name: 5, bogus: 1 }),
      'no JSON',
      { delete: { scope: 'project', customId: 'none' } },
      creation({ name: 'two' }),
    ]);
    const { code, stdout, stderr } = await segueHere(folder, 'bulk', manifest);
    expect(code).toBe(1);
    expect(stdout).toBe(
      [
        '2 created, 0 deleted, 1 already absent, 0 already done, 2 failed',
        'Segue.Terminal.invalid-project  1',
        'Segue.Terminal.malformed-json  1',
        '',
      ].join('\n'),
    );
    expect(stderr).toContain('line 3: Segue.Terminal.invalid-project  ');
    expect(stderr).toContain('  /name wrong-type: ');
    expect(stderr).toContain('  /bogus unknown-field: ');
    expect(stderr).toContain('line 4: Segue.Terminal.malformed-json  ');
    expect(stderr).toContain('100 %: 5 of 5 entries, 2 failed\n');
    expect(stderr).toMatch(/\nsegue: 2 lines failed\n$/);
    expect(await namesIn(folder)).toEqual(['one', 'two']);
  });

  it('does nothing twice', async () => {
    const folder = temporaryFolder();
    const lines = [creation({ name: 'one', customId: 'x' }), creation({ name: 'two' })];
    const manifest = writeLines(folder, lines);
    expect(await segueHere(folder, 'bulk', manifest)).toMatchObject({ code: 0 });
    const again = await segueHere(folder, 'bulk', manifest);
    expect([again.code, summary(again.stdout)]).toEqual([0, '0 created, 0 deleted, 2 already done, 0 failed']);
    const copy = await segueHere(folder, 'bulk', writeLines(folder, lines, 'copy.jsonl'), '--run', 'manifest.jsonl');
    expect(summary(copy.stdout)).toBe('0 created, 0 deleted, 2 already done, 0 failed');
    expect(await namesIn(folder)).toEqual(['one', 'two']);
  });

  it('works for the company that it is told', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'one' })]);
    for (const companyId of ['acme', 'other']) {
      await segueHere(folder, 'company', 'add', companyId);
      expect(await segueHere(folder, 'bulk', manifest, '--company', companyId)).toMatchObject({ code: 0 });
      expect(await namesIn(folder, companyId)).toEqual(['one']);
    }
    expect(await namesIn(folder)).toEqual([]);
  });

  it('refuses a company that does not exist, and names the sandbox company as one that does', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'one' })]);
    const { code, stdout, stderr } = await segueHere(folder, 'bulk', manifest, '--company', 'typo-co');
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `segue: ${NO_SUCH_COMPANY}\n`,
    });
    expect(await namesIn(folder, 'typo-co')).toEqual([]);
    expect(await segueHere(folder, 'bulk', manifest, '--company', 'sandbox')).toMatchObject({ code: 0 });
  });

  it('refuses a suspended company before the run, and runs once it is resumed', async () => {
    const folder = temporaryFolder();
    await addCompany(folder, 'acme');
    await segueHere(folder, 'company', 'suspend', 'acme');
    const manifest = writeLines(folder, [creation({ name: 'one' })]);
    const failed = join(folder, 'failed.jsonl');
    const bulk = ['bulk', manifest, '--company', 'acme', '--failed', failed];
    const refusal = { code: 1, stdout: '', stderr: `segue: ${COMPANY_SUSPENDED}\n` };
    expect(await segueHere(folder, ...bulk)).toEqual(refusal);
    expect(await segueHere(folder, ...bulk, '--validate-only')).toEqual(refusal);
    expect(readFileSync(failed, 'utf8')).toBe('');
    expect(await namesIn(folder, 'acme')).toEqual([]);
    await segueHere(folder, 'company', 'resume', 'acme');
    expect(await segueHere(folder, ...bulk)).toMatchObject({ code: 0 });
  });

  it.each([
    ['company-suspended', COMPANY_SUSPENDED],
    ['company-not-found', NO_SUCH_COMPANY],
  ] as const)('ends when a line fails with %s, and counts no line as wrong', async (problem, message) => {
    const folder = temporaryFolder();
    const path = writeLines(folder, [
      creation({ name: 'one' }),
      creation({ name: 'two' }),
      creation({ name: 'three' }),
    ]);
    const storage = openSqlite(Date.now, folder);
    let checks = 0;
    const requireCompany = async () => {
      // before the run, and for the first line
      if (++checks > 2) throw new Problem(problem, { detail: 'Not now.' });
    };
    const refused: Uint8Array[] = [];
    const request = {
      path,
      run: 'run',
      validateOnly: false,
      companyId: 'acme',
      concurrency: 1,
      toleratedPercent: undefined,
      upstream: undefined,
      report: { out: () => {}, err: () => {} },
      refused: (bytes: Uint8Array) => void refused.push(bytes),
      stop: new AbortController().signal,
    };
    const ended = runHere({ service: hosted({ storage, now: Date.now }), requireCompany }, request);
    await expect(ended).rejects.toEqual(new CompanyError(message));
    expect(await namesIn(folder, 'acme')).toEqual(['one']);
    expect(refused).toEqual([]);
  });

  it('takes a company whose keys are all revoked', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'one' })]);
    const { stdout } = await segueHere(folder, 'company', 'add', 'acme');
    const [, keyId = ''] = /seg_([^_]+)_/.exec(stdout) ?? [];
    expect(await segueHere(folder, 'company', 'revoke', keyId)).toMatchObject({ code: 0 });
    expect(await segueHere(folder, 'bulk', manifest, '--company', 'acme')).toMatchObject({ code: 0 });
  });

  it('works for the company that npm start last ran as, unless the environment names one', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'one' })]);
    await recordStart(openSqlite(Date.now, folder), 'acme');
    expect(await segueHere(folder, 'bulk', manifest)).toMatchObject({ code: 0 });
    expect(await namesIn(folder, 'acme')).toEqual(['one']);
    const env = { SEGUE_DATA_DIR: folder, SEGUE_COMPANY_ID: 'other' };
    expect(await run(['bulk', manifest], { env, out: () => {}, err: () => {} })).toBe(0);
    expect(await namesIn(folder, 'other')).toEqual(['one']);
    expect(await namesIn(folder, 'acme')).toEqual(['one']);
  });

  it('leaves a line of JSON for each', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'one' }), creation({ name: 5, bogus: 1 })]);
    const results = join(folder, 'results.jsonl');
    await segueHere(folder, 'bulk', manifest, '--results', results, '--concurrency', '1');
    const found = readFileSync(results, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(found).toEqual([
      {
        entry: 1,
        line: 1,
        outcome: 'created',
        replayed: false,
        projectId: expect.any(Number),
        segments: 1,
        targetLanguages: 1,
      },
      {
        entry: 2,
        line: 2,
        outcome: 'failed',
        failure: 'Segue.Terminal.invalid-project',
        problem: expect.objectContaining({
          errors: [
            expect.objectContaining({ pointer: '/name', code: 'wrong-type' }),
            expect.objectContaining({ pointer: '/bogus', code: 'unknown-field' }),
          ],
        }),
      },
    ]);
  });

  it.each([
    ['by its name', (path: string) => path],
    ['by a link', linkTo],
  ])('leaves a manifest as it is that its results are to go to, %s', async (_, nameOf) => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'one' })]);
    const before = readFileSync(manifest, 'utf8');
    const { code, stderr } = await segueHere(folder, 'bulk', manifest, '--results', nameOf(manifest));
    expect([code, stderr]).toEqual([
      2,
      'segue: the results would overwrite another file of this run: choose another name\n',
    ]);
    expect(readFileSync(manifest, 'utf8')).toBe(before);
  });

  it('does nothing in a store of the other service: under the same keys that has other records', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'one' })]);
    await claimStore(openSqlite(Date.now, folder), 'upstream');
    const { code, stderr } = await segueHere(folder, 'bulk', manifest);
    expect([code, stderr]).toEqual([
      1,
      'segue: the store was begun with --upstream: set SEGUE_DATA_DIR to another one\n',
    ]);
    expect(await namesIn(folder)).toEqual([]);
  });

  it('takes a new store for the service that it works with', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'one' })]);
    expect(await segueHere(folder, 'bulk', manifest)).toMatchObject({ code: 0 });
    const env = { SEGUE_DATA_DIR: folder, SEGUE_UPSTREAM_COMPANY_ID: 'acme', SEGUE_UPSTREAM_API_KEY: 'key' };
    let said = '';
    const err = (text: string) => {
      said += text;
    };
    const code = await run(['bulk', manifest, '--upstream', 'http://127.0.0.1:9'], { env, out: () => {}, err });
    expect([code, said]).toEqual([
      1,
      'segue: the store was begun without --upstream: set SEGUE_DATA_DIR to another one\n',
    ]);
  });

  it('does nothing for a company whose id is none', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'one' })]);
    const { code, stderr } = await segueHere(folder, 'bulk', manifest, '--company', 'a b');
    expect(code).toBe(2);
    expect(stderr).toMatch(/'--company <id>' argument 'a b' is invalid/);
  });

  it('does nothing where results cannot be written', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [creation({ name: 'one' })]);
    const { code, stderr } = await segueHere(folder, 'bulk', manifest, '--results', join(folder, 'none', 'results'));
    expect([code, stderr]).toEqual([2, 'segue: the results cannot be written: ENOENT\n']);
    expect(await namesIn(folder)).toEqual([]);
  });

  // of Linux
  it.runIf(existsSync('/dev/full'))(
    'ends where results can be written no longer, and has told every fault',
    async () => {
      const folder = temporaryFolder();
      const manifest = writeLines(folder, [creation({ name: 5 }), creation({ name: 'two' })]);
      const args = ['bulk', manifest, '--results', '/dev/full', '--concurrency', '1'];
      const { code, stderr } = await segueHere(folder, ...args);
      expect(code).toBe(1);
      expect(stderr).toContain('  /name wrong-type: ');
      expect(stderr).toMatch(/\nsegue: the results cannot be written: ENOSPC\n$/);
      expect(await namesIn(folder)).toEqual([]);
    },
  );

  it('leaves the rest alone once more failed than is tolerated', async () => {
    const folder = temporaryFolder();
    const faulty = creation({ name: 5 });
    const manifest = writeLines(folder, [
      faulty,
      faulty,
      ...Array.from({ length: 8 }, () => creation({ name: 'rest' })),
    ]);
    const { code, stderr } = await segueHere(folder, 'bulk', manifest, '--tolerate', '10', '--concurrency', '1');
    expect(code).toBe(1);
    expect(stderr).toMatch(/\nsegue: too many lines failed, 2: the rest was left alone\n$/);
    expect(await namesIn(folder)).toEqual([]);
    expect(await segueHere(folder, 'bulk', manifest, '--tolerate', '20')).toMatchObject({ code: 1 });
    expect(await namesIn(folder)).toHaveLength(8);
  });
});

describe('a stop', () => {
  it('is told, and the same command goes on there', async () => {
    const folder = temporaryFolder();
    const names = Array.from({ length: 40 }, (_, n) => `project ${String(n).padStart(2, '0')}`);
    const manifest = writeLines(
      folder,
      names.map((name) => creation({ name })),
    );
    let stop = () => {};
    let said = '';
    const code = await run(['bulk', manifest, '--concurrency', '2'], {
      env: { SEGUE_DATA_DIR: folder },
      out: () => {},
      err(text) {
        said += text;
        if (text.startsWith('50 %')) stop();
      },
      onStop(callback) {
        stop = callback;
        return { [Symbol.dispose]() {} };
      },
    });
    expect(code).toBe(1);
    expect(said).toMatch(/\nsegue: stopped: run the same command again to continue\n$/);
    const made = (await namesIn(folder)).length;
    expect(made).toBeGreaterThanOrEqual(20);
    expect(made).toBeLessThan(40);
    const again = await segueHere(folder, 'bulk', manifest);
    expect(summary(again.stdout)).toBe(`${40 - made} created, 0 deleted, ${made} already done, 0 failed`);
    expect(await namesIn(folder)).toEqual(names);
  });
});

it('on a terminal a bar is drawn over, and failures stand before it', async () => {
  const folder = temporaryFolder();
  const manifest = writeLines(folder, [creation({ name: 5 }), creation({ name: 'one' })]);
  let said = '';
  const err = (text: string) => {
    said += text;
  };
  await run(['bulk', manifest, '--concurrency', '1'], {
    env: { SEGUE_DATA_DIR: folder },
    out: () => {},
    err,
    terminal: { columns: 80, write: err },
  });
  const shown = said.split('\r\x1b[K').filter(Boolean);
  expect(shown[0]).toMatch(/^line 1: Segue\.Terminal\.invalid-project/);
  expect(shown[1]).toMatch(/^\[#{15}\.{15}\] 50 %: 1 of 2/);
  expect(shown.filter((text) => text.startsWith('[')).every((text) => text.length < 80)).toBe(true);
  expect(shown.at(-1)).toBe('segue: 1 line failed\n');
});

describe('what is no manifest ends with 2, and nothing is done', () => {
  it.each<[string, string, string, RegExp]>([
    ['a JSON array', 'manifest.json', '[{"create":{}}]', /jq -c '\.\[\]'/],
    ['CSV', 'manifest.csv', 'scope,customId\nproject,x\n', /is not JSON Lines/],
  ])('%s', async (_, name, content, line) => {
    const folder = temporaryFolder();
    const path = join(folder, name);
    writeFileSync(path, content);
    const { code, stdout, stderr } = await segueHere(folder, 'bulk', path);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^segue: [^\n]+\n$/);
    expect(stderr).toMatch(line);
  });

  it.each<[string, readonly string[]]>([
    ['no file', ['bulk']],
    ['a file that is not there', ['bulk', 'none.jsonl']],
    ['a folder', ['bulk', '.']],
    ['no line at once', ['bulk', 'none.jsonl', '--concurrency', '0']],
    ['half a line at once', ['bulk', 'none.jsonl', '--concurrency', '1.5']],
    ['a share of more than all', ['bulk', 'none.jsonl', '--tolerate', '101']],
    ['a run without a name', ['bulk', 'none.jsonl', '--run', '']],
    ['a stack without a company', ['--stack', 'Segue', 'bulk', 'none.jsonl']],
  ])('%s', async (_, args) => {
    const { code, stdout, stderr } = await segueHere(temporaryFolder(), ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });
});

it('a manifest that is written to meanwhile ends the run: its lines are other ones now', async () => {
  const folder = temporaryFolder();
  const manifest = writeLines(
    folder,
    Array.from({ length: 40 }, (_, n) => creation({ name: `${n}` })),
  );
  let isChanged = false;
  const said: string[] = [];
  const code = await run(['bulk', manifest, '--concurrency', '1'], {
    env: { SEGUE_DATA_DIR: folder },
    out: () => {},
    err(text) {
      said.push(text);
      if (!isChanged && text.startsWith('50 %')) appendFileSync(manifest, `${JSON.stringify(creation())}\n`);
      isChanged ||= text.startsWith('50 %');
    },
  });
  expect(code).toBe(2);
  expect(said.at(-1)).toBe('segue: The manifest was changed during the run.\n');
  expect((await namesIn(folder)).length).toBeLessThan(40);
});
