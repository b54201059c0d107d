import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { NO_SUCH_COMPANY } from '../../../lib/contract/segue-command.ts';
import { CompanyError } from '../../../lib/credentials/companies.ts';
import { COMPANY_SUSPENDED } from '../../../lib/credentials/company-record.ts';
import { recordStart } from '../../../lib/credentials/sandbox-company.ts';
import { claimStore } from '../../../lib/storage/store-owner.ts';
import { openSqlite, temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { MUCH_WORK_MS } from '../../../test/support/much-work.ts';
import { addCompany, segue, segueHere, segueIn, segueUntil, segueWith } from '../../../test/support/segue.ts';
import { hosted } from '../../../test/support/world.ts';
import { runLocally } from '../bulk/run-locally.ts';
import { ProgressLine } from '../progress-line.ts';
import { creation, eventsIn, namesIn, summary, writeLines } from './world.ts';

/** Returns a data folder with a manifest, and commands on it. */
function world(lines: readonly unknown[] = [creation({ name: 'one' })]) {
  const folder = temporaryFolder();
  const manifest = writeLines(folder, lines);
  return {
    folder,
    manifest,
    path: (name: string) => join(folder, name),
    bulk: (...args: string[]) => segueHere(folder, 'bulk', manifest, ...args),
    names: (companyId?: string) => namesIn(folder, companyId),
  };
}

describe('segue bulk', () => {
  it('runs a manifest, prints every fault with its line, and exits with 1 if a line failed', async () => {
    const { manifest, bulk, names } = world([
      creation({ name: 'one' }),
      '',
      creation({ name: 5, bogus: 1 }),
      'no JSON',
      { delete: { scope: 'project', customId: 'none' } },
      creation({ name: 'two' }),
    ]);
    const { code, stdout, stderr } = await bulk();
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      '2 created, 0 deleted, 1 already absent, 0 already done, 2 failed',
      'Segue.Terminal.invalid-project  1',
      'Segue.Terminal.malformed-json  1',
      '',
    ]);
    for (const text of [
      'line 3: Segue.Terminal.invalid-project  ',
      `  ${manifest}:3:19: /name wrong-type: `,
      `\n    {"create":{"name":5,`,
      `\n    ${' '.repeat(18)}^\n  ${manifest}:3:`,
      ': /bogus unknown-field: ',
      'line 4: Segue.Terminal.malformed-json  ',
      `  ${manifest}:4:1: the command syntax: `,
      '\n    no JSON\n    ^\n',
      '100 %: 5 of 5 entries, 2 failed\n',
      '\nsegue: 2 lines failed\n',
    ])
      expect(stderr).toContain(text);
    expect(await names()).toEqual(['one', 'two']);
  });

  it('prints its summary as JSON', async () => {
    const { bulk } = world([creation(), 'no JSON']);
    expect(JSON.parse((await bulk('--json')).stdout)).toEqual({
      outcomes: { created: 1 },
      alreadyDone: 0,
      failed: 1,
      failures: { 'Segue.Terminal.malformed-json': 1 },
    });
  });

  it('tells the company of each project in its events', async () => {
    const { folder, manifest, bulk } = world([creation({ customId: 'x' })]);
    expect(await bulk()).toMatchObject({ code: 0 });
    expect(await eventsIn(folder, 'sandbox')).toEqual([['project.created', 1]]);
    writeLines(folder, [{ delete: { scope: 'project', customId: 'x' } }], 'deletions.jsonl');
    expect(await segueHere(folder, 'bulk', manifest.replace('manifest', 'deletions'))).toMatchObject({ code: 0 });
    expect((await eventsIn(folder, 'sandbox')).sort()).toEqual([
      ['project.created', 1],
      ['project.deleted', 2],
    ]);
  });

  it('accepts an eventUrl on this machine if the last npm start did', async () => {
    const { folder, bulk } = world([creation({ eventUrl: 'http://127.0.0.1:9122/events' })]);
    expect(await bulk()).toMatchObject({ code: 1 });
    await recordStart(openSqlite(Date.now, folder), { companyId: 'sandbox', allowsLoopbackEvents: true });
    expect(await bulk()).toMatchObject({ code: 0 });
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

  // A line that was open when the process was killed stays locked for 15 seconds.
  it.each([
    ['SIGKILL', null, ''],
    ['SIGTERM', 1, 'segue: the run was stopped: run the same command again to continue\n'],
  ] as const)(
    'creates the rest, and nothing twice, if it runs again after %s',
    async (signal, code, last) => {
      const all = Array.from({ length: 300 }, (_, n) => `project ${String(n).padStart(3, '0')}`);
      const { folder, manifest, names } = world(all.map((name) => creation({ name })));
      const args = ['bulk', manifest, '--concurrency', '1'];
      const first = await segueUntil({ folder, said: '10 %', signal }, ...args);
      expect(first).toMatchObject({ code, stderr: expect.stringContaining(last) });
      const made = (await names()).length;
      expect(made).toBeGreaterThanOrEqual(30);
      expect(made).toBeLessThan(300);
      const again = await segue(folder, ...args);
      const counts = `${300 - made} created, 0 deleted, ${made} already done, 0 failed`;
      expect([again.code, summary(again.stdout)]).toEqual([0, counts]);
      expect(await names()).toEqual(all);
    },
    MUCH_WORK_MS,
  );

  it('says that it was stopped, also if the signal comes again while it ends', async () => {
    const { folder, manifest, path } = world([creation({})]);
    // A terminal signals this process and the command that started it, which passes its signal on a little later.
    const signals = `
      process.on('newListener', (event) => event === 'SIGINT' && process.kill(process.pid, event));
      process.on('beforeExit', () => process.kill(process.pid, 'SIGINT'));`;
    writeFileSync(path('signals.cjs'), signals);
    const env = { NODE_OPTIONS: `--require ${JSON.stringify(path('signals.cjs'))}`, SEGUE_DATA_DIR: folder };
    expect(await segueWith(env, 'bulk', manifest)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('segue: the run was stopped: run the same command again to continue\n'),
    });
  });

  it('writes the result of each line as JSON', async () => {
    const { path, bulk } = world([creation({ name: 'one' }), creation({ name: 5, bogus: 1 })]);
    await bulk('--results', path('results.jsonl'), '--concurrency', '1');
    const results = readFileSync(path('results.jsonl'), 'utf8').trimEnd().split('\n');
    const counts = { segments: 1, targetLanguages: 1 };
    const errors = [
      { pointer: '/name', code: 'wrong-type' },
      { pointer: '/bogus', code: 'unknown-field' },
    ];
    const failure = 'Segue.Terminal.invalid-project';
    expect(results.map((line) => JSON.parse(line))).toMatchObject([
      { entry: 1, line: 1, outcome: 'created', replayed: false, projectId: expect.any(Number), ...counts },
      { entry: 2, line: 2, outcome: 'failed', failure, problem: { errors } },
    ]);
  });

  it('writes the refused lines byte for byte, in order, readable by the owner only', async () => {
    const { path, manifest, bulk } = world();
    const refused = ['{"create": {"näme":  "x"}}\t\r', 'no JSON \u202e', ' {"delete":{}}'];
    const good = JSON.stringify(creation({ name: 'good' }));
    writeFileSync(manifest, `\ufeff${refused[0]}\n${good}\n\n${refused[1]}\n${refused[2]}`);
    const files = [path('failed.jsonl'), path('results.jsonl')] as const;
    for (const file of files) writeFileSync(file, 'from an earlier run', { mode: 0o644 });
    const { code, stderr } = await bulk('--failed', files[0], '--results', files[1]);
    expect(code).toBe(1);
    expect(stderr).toContain(`Refused lines in ${files[0]}: 3\n`);
    expect(readFileSync(files[0], 'utf8')).toBe(refused.map((line) => `${line}\n`).join(''));
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  // Only Linux has `/dev/full`.
  it.runIf(existsSync('/dev/full'))('ends when results cannot be written, and has printed every fault', async () => {
    const { bulk, names } = world([creation({ name: 5 }), creation({ name: 'two' })]);
    const { code, stderr } = await bulk('--results', '/dev/full', '--concurrency', '1');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /:1:19: \/name wrong-type: .*\nsegue: the results \/dev\/full cannot be written: the disk is full\n$/s,
    );
    expect(await names()).toEqual([]);
  });

  it('ends once more lines have failed than --tolerate allows', async () => {
    const faulty = creation({ name: 5 });
    const { bulk, names } = world([faulty, faulty, ...Array(8).fill(creation({ name: 'rest' }))]);
    const { code, stderr } = await bulk('--tolerate', '10', '--concurrency', '1');
    expect(code).toBe(1);
    expect(stderr).toMatch(/\nsegue: too many lines failed \(2\), so the other lines did not run\n$/);
    expect(await names()).toEqual([]);
    expect(await bulk('--tolerate', '20')).toMatchObject({ code: 1 });
    expect(await names()).toHaveLength(8);
  });

  it('ends when the manifest changes during the run', async () => {
    const { folder, manifest, names } = world(Array.from({ length: 40 }, (_, n) => creation({ name: `${n}` })));
    const err = (text: string) => {
      if (text.startsWith('50 %')) appendFileSync(manifest, `${JSON.stringify(creation())}\n`);
    };
    const { code, stderr } = await segueIn(folder, { err }, 'bulk', manifest, '--concurrency', '1');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /\nsegue: The manifest was changed during the run\. Run it again under the same run name: completed lines do not run again\.\n$/,
    );
    expect((await names()).length).toBeLessThan(40);
  });
});

describe('the company of a bulk run', () => {
  it('is the one that --company names, even if all its keys are revoked', async () => {
    const { folder, bulk, names } = world();
    const { keyId } = await addCompany(folder, 'acme');
    await segueHere(folder, 'company', 'revoke', keyId);
    expect(await bulk('--company', 'acme')).toMatchObject({ code: 0 });
    expect([await names('acme'), await names()]).toEqual([['one'], []]);
  });

  it('is the one that npm start last ran as, unless the environment names one', async () => {
    const { folder, manifest, bulk, names } = world();
    await recordStart(openSqlite(Date.now, folder), { companyId: 'acme', allowsLoopbackEvents: false });
    expect(await bulk()).toMatchObject({ code: 0 });
    expect(await segueIn(folder, { env: { SEGUE_COMPANY_ID: 'other' } }, 'bulk', manifest)).toMatchObject({ code: 0 });
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
    const requireCompany = async (): Promise<undefined> => {
      // The first check is before the run, and the second for the first line.
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
        report: { print: () => {}, err: () => {}, progress: new ProgressLine(undefined) },
        writeRefused: (bytes) => void refused.push(bytes),
        stop: new AbortController().signal,
      },
    );
    await expect(ended).rejects.toEqual(new CompanyError(message));
    expect(await names('acme')).toEqual(['one']);
    expect(refused).toEqual([]);
  });
});

describe('--validate-only', () => {
  it('prints every fault and leaves the lines to a later run', async () => {
    const { bulk, names } = world([creation(), { create: { nmae: 'x' } }, creation(), 'no JSON']);
    const { code, stdout, stderr } = await bulk('--validate-only');
    expect([code, summary(stdout)]).toEqual([1, '2 valid, 0 already done, 2 failed']);
    for (const text of [
      'line 2: Segue.Terminal.invalid-project  ',
      ':2:12: /nmae unknown-field: ',
      ':2:11: /name required: ',
    ])
      expect(stderr).toContain(text);
    expect(stderr).toContain('line 4: Segue.Terminal.malformed-json  ');
    expect(await names()).toEqual([]);
    expect(summary((await bulk()).stdout)).toBe('2 created, 0 deleted, 0 already done, 2 failed');
  });

  it('says how many characters an engine would get for the valid lines', async () => {
    const automatic = creation({
      targetLanguages: ['de', 'fr'].map((targetLanguageCode) => ({
        targetLanguageCode,
        serviceAutomaticTranslation: true,
      })),
      segments: [{ content: 'Hello' }],
    });
    const put = { put: { ...automatic.create, customId: 'x' } };
    const { bulk } = world([automatic, creation(), put]);
    const { stdout } = await bulk('--validate-only');
    expect(stdout).toBe('3 valid, 0 already done, 0 failed\nAutomatic translation: 20 characters\n');
    expect(JSON.parse((await bulk('--validate-only', '--json')).stdout)).toMatchObject({ automaticCharacters: 20 });
    expect((await bulk()).stdout).not.toContain('Automatic');
  });

  it('writes no record at all, not even of the sandbox company', async () => {
    const { folder, bulk } = world([creation({ customId: 'x' }), { delete: { scope: 'project', customId: 'x' } }]);
    const { code, stdout } = await bulk('--validate-only');
    expect([code, summary(stdout)]).toEqual([0, '2 valid, 0 already done, 0 failed']);
    const storage = openSqlite(Date.now, folder);
    for (const partition of ['store', 'companies', 'company/sandbox'])
      expect((await storage.list(partition, { prefix: '', limit: 9, maxBytes: 9 })).items).toEqual([]);
  });
});

it('refuses the store of the other service', async () => {
  const refusal = (how: string) => ({
    code: 1,
    stderr: `segue: the store was created ${how} --upstream: set SEGUE_DATA_DIR to another folder\n`,
  });
  const upstream = world();
  await claimStore(openSqlite(Date.now, upstream.folder), 'upstream');
  expect(await upstream.bulk()).toMatchObject(refusal('with'));
  expect(await upstream.names()).toEqual([]);
  const { folder, manifest, bulk } = world();
  expect(await bulk()).toMatchObject({ code: 0 });
  const env = { SEGUE_UPSTREAM_COMPANY_ID: 'acme', SEGUE_UPSTREAM_API_KEY: 'key' };
  const args = ['bulk', manifest, '--upstream', 'http://127.0.0.1:9'];
  expect(await segueIn(folder, { env }, ...args)).toMatchObject(refusal('without'));
});

describe('a usage error exits with 2 and does nothing', () => {
  it.each<[string, (world: { manifest: string; path: (name: string) => string }) => string[], string]>([
    ['results in the manifest', ({ manifest }) => ['--results', manifest], 'results would overwrite'],
    ['results in a link to it', ({ path }) => ['--results', path('link')], 'results would overwrite'],
    ['both in one file', ({ path }) => ['--failed', path('x'), '--results', path('x')], 'failed lines would overwrite'],
    [
      'results in no folder',
      ({ path }) => ['--results', path('none/x')],
      'results \\S+ cannot be written: the folder \\S+none does not exist',
    ],
  ])('%s', async (_, argsOf, message) => {
    const here = world();
    symlinkSync(here.manifest, here.path('link'));
    const before = readFileSync(here.manifest, 'utf8');
    const { code, stderr } = await here.bulk(...argsOf(here));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(`^segue: the ${message}`) });
    expect(readFileSync(here.manifest, 'utf8')).toBe(before);
    expect(await here.names()).toEqual([]);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['no file', ['bulk'], /missing required argument 'manifest'/],
    [
      'a missing file',
      ['bulk', 'none.jsonl'],
      /^segue: the manifest none\.jsonl cannot be read: there is no such file\n$/,
    ],
    ['a file of another format', ['bulk', 'package.json'], /^segue: The manifest is not JSON Lines\. [^\n]+\n$/],
    ['a company id with a space', ['bulk', 'none.jsonl', '--company', 'a b'], /argument 'a b' is invalid/],
    ['no concurrency', ['bulk', 'none.jsonl', '--concurrency', '0'], /from 1 to 1000/],
    ['more than 100 percent', ['bulk', 'none.jsonl', '--tolerate', '101'], /from 0 to 100/],
    ['an empty run name', ['bulk', 'none.jsonl', '--run', ''], /1 to 1024 characters/],
    ['a stack without a company', ['--stack', 'Segue', 'bulk', 'none.jsonl'], /--stack needs --company/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await segueHere(temporaryFolder(), ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
