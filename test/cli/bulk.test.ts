import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runLocally } from '../../cli/bulk/run-locally.ts';
import { run } from '../../cli/program.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { CompanyError } from '../../lib/credentials/companies.ts';
import { COMPANY_SUSPENDED, NO_SUCH_COMPANY } from '../../lib/credentials/company-record.ts';
import { recordStart } from '../../lib/credentials/sandbox.ts';
import { claimStore } from '../../lib/storage/store-owner.ts';
import { hosted } from '../lib/hosted/fixture.ts';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { addCompany, segueHere } from '../support/segue.ts';
import { creation, namesIn, summary, writeLines } from './world.ts';

/** Without it, a line differs in every test run. */
const END = { endDateUtc: '2099-01-01T00:00:00Z' };

/** A data folder, and commands on it. */
function world(lines: readonly unknown[] = [creation({ name: 'one' })]) {
  const folder = temporaryFolder();
  const manifest = writeLines(folder, lines);
  return {
    folder,
    manifest,
    path: (name: string) => join(folder, name),
    bulk: (...args: string[]) => segueHere(folder, 'bulk', manifest, ...args),
    /** Runs other lines under the same name. */
    bulkOf: (lines: readonly unknown[], ...args: string[]) =>
      segueHere(folder, 'bulk', writeLines(folder, lines), ...args),
    names: (companyId?: string) => namesIn(folder, companyId),
  };
}

/** Lines without custom ids. Line 8 has a typo unless it is corrected. */
function linesWithTypo(count: number, { isCorrected = false, fieldsOf = (_index: number): object => ({}) } = {}) {
  return Array.from({ length: count }, (_, index) => {
    const { create } = creation({ name: `line ${index}`, ...END, ...fieldsOf(index) });
    const { name, ...rest } = create;
    return { create: index === 7 && !isCorrected ? { nmae: name, ...rest } : create };
  });
}

/** Runs a command, and lets a callback see standard error as it is written. */
async function watch(folder: string, args: readonly string[], onErr: (text: string, stop: () => void) => void) {
  let stop = () => {};
  let stderr = '';
  const code = await run(['bulk', ...args], {
    env: { SEGUE_DATA_DIR: folder },
    out: () => {},
    err(text) {
      stderr += text;
      onErr(text, stop);
    },
    onStop(callback) {
      stop = callback;
      return { [Symbol.dispose]() {} };
    },
  });
  return { code, stderr };
}

describe('segue bulk', () => {
  it('runs a manifest, prints every fault with its line, and exits with 1 if a line failed', async () => {
    const { bulk, names } = world([
      creation({ name: 'one' }),
      '',
      creation({ name: 5, bogus: 1 }),
      'no JSON',
      { delete: { scope: 'project', customId: 'none' } },
      creation({ name: 'two' }),
    ]);
    const { code, stdout, stderr } = await bulk();
    expect(code).toBe(1);
    expect(stdout).toBe(
      [
        '2 created, 0 deleted, 1 already absent, 0 already done, 2 failed',
        'Segue.Terminal.invalid-project  1',
        'Segue.Terminal.malformed-json  1',
        '',
      ].join('\n'),
    );
    for (const text of [
      'line 3: Segue.Terminal.invalid-project  ',
      '  /name wrong-type: ',
      '  /bogus unknown-field: ',
      'line 4: Segue.Terminal.malformed-json  ',
      '100 %: 5 of 5 entries, 2 failed\n',
      '\nsegue: 2 lines failed\n',
    ])
      expect(stderr).toContain(text);
    expect(await names()).toEqual(['one', 'two']);
  });

  it('runs each line once, also from a copy under the same run name', async () => {
    const lines = [creation({ name: 'one', customId: 'x' }), creation({ name: 'two' })];
    const { folder, bulk, names } = world(lines);
    expect(await bulk()).toMatchObject({ code: 0 });
    const copy = await segueHere(folder, 'bulk', writeLines(folder, lines, 'copy.jsonl'), '--run', 'manifest.jsonl');
    for (const { code, stdout } of [await bulk(), copy])
      expect([code, summary(stdout)]).toEqual([0, '0 created, 0 deleted, 2 already done, 0 failed']);
    expect(await names()).toEqual(['one', 'two']);
  });

  it('writes the result of each line as JSON', async () => {
    const { path, bulk } = world([creation({ name: 'one' }), creation({ name: 5, bogus: 1 })]);
    await bulk('--results', path('results.jsonl'), '--concurrency', '1');
    const results = readFileSync(path('results.jsonl'), 'utf8').trimEnd().split('\n');
    const counts = { segments: 1, targetLanguages: 1 };
    const errors = [
      expect.objectContaining({ pointer: '/name', code: 'wrong-type' }),
      expect.objectContaining({ pointer: '/bogus', code: 'unknown-field' }),
    ];
    expect(results.map((line) => JSON.parse(line))).toEqual([
      { entry: 1, line: 1, outcome: 'created', replayed: false, projectId: expect.any(Number), ...counts },
      {
        entry: 2,
        line: 2,
        outcome: 'failed',
        failure: 'Segue.Terminal.invalid-project',
        problem: expect.objectContaining({ errors }),
      },
    ]);
  });

  // Linux only
  it.runIf(existsSync('/dev/full'))('ends when results cannot be written, and has printed every fault', async () => {
    const { bulk, names } = world([creation({ name: 5 }), creation({ name: 'two' })]);
    const { code, stderr } = await bulk('--results', '/dev/full', '--concurrency', '1');
    expect(code).toBe(1);
    expect(stderr).toContain('  /name wrong-type: ');
    expect(stderr).toMatch(/\nsegue: the results cannot be written: ENOSPC\n$/);
    expect(await names()).toEqual([]);
  });

  it('ends once more lines have failed than --tolerate allows', async () => {
    const faulty = creation({ name: 5 });
    const rest = Array.from({ length: 8 }, () => creation({ name: 'rest' }));
    const { bulk, names } = world([faulty, faulty, ...rest]);
    const { code, stderr } = await bulk('--tolerate', '10', '--concurrency', '1');
    expect(code).toBe(1);
    expect(stderr).toMatch(/\nsegue: too many lines failed, 2: the other lines did not run\n$/);
    expect(await names()).toEqual([]);
    expect(await bulk('--tolerate', '20')).toMatchObject({ code: 1 });
    expect(await names()).toHaveLength(8);
  });

  it('ends when the manifest changes during the run', async () => {
    const { folder, manifest, names } = world(Array.from({ length: 40 }, (_, n) => creation({ name: `${n}` })));
    let isChanged = false;
    const { code, stderr } = await watch(folder, [manifest, '--concurrency', '1'], (text) => {
      if (!isChanged && text.startsWith('50 %')) appendFileSync(manifest, `${JSON.stringify(creation())}\n`);
      isChanged ||= text.startsWith('50 %');
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/\nsegue: The manifest was changed during the run\.\n$/);
    expect((await names()).length).toBeLessThan(40);
  });
});

describe('the company of a bulk run', () => {
  it('is the one that --company names, even if all its keys are revoked', async () => {
    const { folder, bulk, names } = world();
    for (const companyId of ['acme', 'other']) {
      const { keyId } = await addCompany(folder, companyId);
      if (companyId === 'acme') await segueHere(folder, 'company', 'revoke', keyId);
      expect(await bulk('--company', companyId)).toMatchObject({ code: 0 });
      expect(await names(companyId)).toEqual(['one']);
    }
    expect(await names()).toEqual([]);
  });

  it('is the one that npm start last ran as, unless the environment names one', async () => {
    const { folder, manifest, bulk, names } = world();
    await recordStart(openSqlite(Date.now, folder), 'acme');
    expect(await bulk()).toMatchObject({ code: 0 });
    const env = { SEGUE_DATA_DIR: folder, SEGUE_COMPANY_ID: 'other' };
    expect(await run(['bulk', manifest], { env, out: () => {}, err: () => {} })).toBe(0);
    for (const companyId of ['acme', 'other']) expect(await names(companyId)).toEqual(['one']);
  });

  it('must exist; the sandbox company always does', async () => {
    const { bulk, names } = world();
    const refusal = { code: 1, stdout: '', stderr: `segue: ${NO_SUCH_COMPANY}\n` };
    for (const options of [[], ['--validate-only']])
      expect(await bulk('--company', 'typo-co', ...options)).toEqual(refusal);
    expect(await names('typo-co')).toEqual([]);
    expect(await bulk('--company', 'sandbox')).toMatchObject({ code: 0 });
  });

  it.each(['acme', 'sandbox'])('must not be suspended: %s', async (companyId) => {
    const { folder, path, bulk, names } = world();
    if (companyId === 'acme') await addCompany(folder, companyId);
    else await segueHere(folder, 'bulk', writeLines(folder, [creation()], 'first.jsonl'));
    const before = await names(companyId);
    await segueHere(folder, 'company', 'suspend', companyId);
    const args = ['--company', companyId, '--failed', path('failed.jsonl')];
    const refusal = { code: 1, stdout: '', stderr: `segue: ${COMPANY_SUSPENDED}\n` };
    for (const options of [[], ['--validate-only']]) expect(await bulk(...args, ...options)).toEqual(refusal);
    expect(readFileSync(path('failed.jsonl'), 'utf8')).toBe('');
    expect(await names(companyId)).toEqual(before);
    await segueHere(folder, 'company', 'resume', companyId);
    expect(await bulk(...args)).toMatchObject({ code: 0 });
  });

  it.each([
    ['company-suspended', COMPANY_SUSPENDED],
    ['company-not-found', NO_SUCH_COMPANY],
  ] as const)('ends the run if a line fails with %s, and no line counts as refused', async (problem, message) => {
    const { folder, manifest: path, names } = world(['one', 'two', 'three'].map((name) => creation({ name })));
    const storage = openSqlite(Date.now, folder);
    let checks = 0;
    const requireCompany = async () => {
      // The first two checks are before the run and for the first line.
      if (++checks > 2) throw new Problem(problem, { detail: 'Not now.' });
    };
    const refused: Uint8Array[] = [];
    const ended = runLocally(
      { service: hosted({ storage, now: Date.now }), requireCompany },
      {
        path,
        run: 'run',
        validateOnly: false,
        companyId: 'acme',
        concurrency: 1,
        toleratedPercent: undefined,
        upstream: undefined,
        report: { out: () => {}, err: () => {} },
        writeRefused: (bytes) => void refused.push(bytes),
        stop: new AbortController().signal,
      },
    );
    await expect(ended).rejects.toEqual(new CompanyError(message));
    expect(await names('acme')).toEqual(['one']);
    expect(refused).toEqual([]);
  });
});

describe('--failed', () => {
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('writes the refused lines byte for byte, in order, readable by the owner only', async () => {
    const { path, manifest, bulk } = world();
    const refused = ['{"create": {"näme":  "x"}}\t\r', 'no JSON \u202e', ' {"delete":{}}'];
    const good = JSON.stringify(creation({ name: 'good' }));
    writeFileSync(manifest, `\ufeff${refused[0]}\n${good}\n\n${refused[1]}\n${refused[2]}`);
    const [failed, results] = [path('failed.jsonl'), path('results.jsonl')];
    for (const file of [failed, results]) writeFileSync(file, 'from an earlier run', { mode: 0o644 });
    const { code, stdout } = await bulk('--failed', failed, '--results', results);
    expect(code).toBe(1);
    expect(stdout).toContain(`Refused lines in ${failed}: 3\n`);
    expect(readFileSync(failed, 'utf8')).toBe(refused.map((line) => `${line}\n`).join(''));
    expect([mode(failed), mode(results)]).toEqual(['600', '600']);
  });
});

describe('--validate-only', () => {
  it('prints every fault and leaves the lines to a later run', async () => {
    const { bulk, names } = world([...linesWithTypo(20), 'no JSON']);
    const { code, stdout, stderr } = await bulk('--validate-only');
    expect([code, summary(stdout)]).toEqual([1, '19 valid, 0 already done, 2 failed']);
    for (const text of ['line 8: Segue.Terminal.invalid-project  ', '  /nmae unknown-field: ', '  /name required: '])
      expect(stderr).toContain(text);
    expect(stderr).toContain('line 21: Segue.Terminal.malformed-json  ');
    expect(await names()).toEqual([]);
    expect(summary((await bulk()).stdout)).toBe('19 created, 0 deleted, 0 already done, 2 failed');
  });

  it('writes no record at all, not even of the sandbox company', async () => {
    const { folder, bulk } = world([creation({ customId: 'x' }), { delete: { scope: 'project', customId: 'x' } }]);
    const { code, stdout } = await bulk('--validate-only');
    expect([code, summary(stdout)]).toEqual([0, '2 valid, 0 already done, 0 failed']);
    const storage = openSqlite(Date.now, folder);
    for (const partition of ['store', 'companies', 'company/sandbox']) {
      expect((await storage.list(partition, { prefix: '', limit: 9, maxBytes: 9 })).items).toEqual([]);
    }
  });
});

describe('the store of the other service is refused', () => {
  const upstream = {
    SEGUE_UPSTREAM_COMPANY_ID: 'acme',
    SEGUE_UPSTREAM_API_KEY: 'key',
  };
  const refusal = (how: string) =>
    `segue: the store was created ${how} --upstream: set SEGUE_DATA_DIR to another one\n`;

  it('without --upstream', async () => {
    const { folder, bulk, names } = world();
    await claimStore(openSqlite(Date.now, folder), 'upstream');
    expect(await bulk()).toMatchObject({ code: 1, stderr: refusal('with') });
    expect(await names()).toEqual([]);
  });

  it('with --upstream, after a run without it', async () => {
    const { folder, manifest, bulk } = world();
    expect(await bulk()).toMatchObject({ code: 0 });
    const args = ['bulk', manifest, '--upstream', 'http://127.0.0.1:9'];
    let stderr = '';
    const env = { SEGUE_DATA_DIR: folder, ...upstream };
    const err = (text: string) => {
      stderr += text;
    };
    expect(await run(args, { env, out: () => {}, err })).toBe(1);
    expect(stderr).toBe(refusal('without'));
  });
});

describe('a usage error exits with 2 and does nothing', () => {
  function linkTo(path: string): string {
    symlinkSync(path, `${path}.link`);
    return `${path}.link`;
  }

  it.each<[string, (world: { manifest: string; path: (name: string) => string }) => string[], string]>([
    ['results in the manifest', ({ manifest }) => ['--results', manifest], 'results would overwrite'],
    ['results in a link to it', ({ manifest }) => ['--results', linkTo(manifest)], 'results would overwrite'],
    ['both in one file', ({ path }) => ['--failed', path('x'), '--results', path('x')], 'failed lines would overwrite'],
    ['results in no folder', ({ path }) => ['--results', path('none/x')], 'results cannot be written: ENOENT'],
  ])('%s', async (_, argsOf, message) => {
    const here = world();
    const before = readFileSync(here.manifest, 'utf8');
    const { code, stderr } = await here.bulk(...argsOf(here));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(`^segue: the ${message}`) });
    expect(readFileSync(here.manifest, 'utf8')).toBe(before);
    expect(await here.names()).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    ['a JSON array', '[{"create":{}}]', /jq -c '\.\[\]'/],
    ['CSV', 'scope,customId\nproject,x\n', /^segue: The manifest is not JSON Lines\. /],
  ])('%s as manifest', async (_, content, message) => {
    const { manifest, bulk } = world();
    writeFileSync(manifest, content);
    const { code, stdout, stderr } = await bulk();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^segue: [^\n]+\n$/);
    expect(stderr).toMatch(message);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['no file', ['bulk'], /missing required argument 'manifest'/],
    ['a missing file', ['bulk', 'none.jsonl'], /^segue: the manifest cannot be opened: ENOENT\n$/],
    ['a company id with a space', ['bulk', 'none.jsonl', '--company', 'a b'], /argument 'a b' is invalid/],
    ['no concurrency', ['bulk', 'none.jsonl', '--concurrency', '0'], /from 1 to 1000/],
    ['more than 100 percent', ['bulk', 'none.jsonl', '--tolerate', '101'], /from 0 to 100/],
    ['an empty run name', ['bulk', 'none.jsonl', '--run', ''], /1 to 1024 characters/],
    ['a stack without a company', ['--stack', 'Segue', 'bulk', 'none.jsonl'], /give --company/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await segueHere(temporaryFolder(), ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
