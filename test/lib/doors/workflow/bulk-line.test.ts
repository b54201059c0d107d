import { describe, expect, it } from 'vitest';
import type { Entry, Manifest, ObjectVersion } from '../../../../lib/bulk/manifest.ts';
import { utc } from '../../../../lib/contract/date.ts';
import { Problem } from '../../../../lib/contract/problem.ts';
import { bulkLineTask } from '../../../../lib/doors/workflow/bulk-line.ts';
import type { LogLine } from '../../../../lib/service/log.ts';
import { operationIdOf } from '../../../../lib/service/operation-id.ts';
import type { ProjectService } from '../../../../lib/service/port.ts';
import { fileOf } from '../../bulk/file.ts';
import { hosted } from '../../hosted/fixture.ts';
import { callOf, NOW_MS, project } from '../../support.ts';
import { contextOf, fakeService } from '../http/fixture.ts';
import { failureOf, options } from './fixture.ts';

const manifest: Manifest = { sha256: 'a'.repeat(64), format: 'jsonl' };

/** The task, and the input for a command as the only one of a manifest. */
function line(service: ProjectService, command: unknown, { entry = 1, sha256 = manifest.sha256 } = {}) {
  const text = typeof command === 'string' ? command : JSON.stringify(command);
  const at: Entry = { entry, line: entry + 10, offset: 0, bytes: Buffer.byteLength(text) };
  const handler = bulkLineTask(service, () => fileOf(text), options);
  return { handler, input: { companyId: 'acme', manifest: { ...manifest, sha256 }, entry: at } };
}

const run = (...args: Parameters<typeof line>) => {
  const { handler, input } = line(...args);
  return handler(input, contextOf());
};
const { startDateUtc: _, ...undated } = project();
const made = { outcome: 'created', projectId: expect.any(Number), segments: 1, targetLanguages: 1 };

describe('the task of a line', () => {
  it('creates once, and says where it repeats that', async () => {
    const service = hosted();
    const first = await run(service, { create: undated });
    expect(first).toEqual({ entry: 1, line: 11, replayed: false, ...made });
    expect(await run(service, { create: undated })).toEqual({ ...first, replayed: true });
    expect((await service.list({ limit: 9 }, callOf())).projects).toHaveLength(1);
  });

  it.each([
    ['another line with the same content', { entry: 2 }],
    ['the same line of another manifest', { sha256: 'b'.repeat(64) }],
  ])('%s is another project', async (_, there) => {
    const service = hosted();
    await run(service, { create: undated });
    expect(await run(service, { create: undated }, there)).toMatchObject({ replayed: false });
    expect((await service.list({ limit: 9 }, callOf())).projects).toHaveLength(2);
  });

  it('deletes, and takes what is gone for that', async () => {
    const service = hosted();
    await run(service, { create: { ...undated, customId: 'x' } });
    const deletion = { delete: { scope: 'project', customId: 'x' } };
    const receipt = { outcome: 'deleted', scope: 'project', customId: 'x', deletedAtUtc: utc(NOW_MS) };
    expect(await run(service, deletion, { entry: 2 })).toMatchObject({ ...receipt, replayed: false });
    expect(await run(service, deletion, { entry: 2 })).toMatchObject({ ...receipt, replayed: true });
    const gone = { scope: 'project', outcome: 'already-absent', replayed: false };
    expect(await run(service, deletion, { entry: 3 })).toEqual({ entry: 3, line: 13, ...gone });
  });

  it('never makes again what was deleted since, and that is no failure', async () => {
    const service = hosted();
    await run(service, { create: { ...undated, customId: 'x' } });
    await service.delete({ customId: 'x' }, { kind: 'project' }, callOf());
    const since = { entry: 1, line: 11, outcome: 'deleted-since', replayed: true };
    expect(await run(service, { create: { ...undated, customId: 'x' } })).toEqual(since);
    expect((await service.list({ limit: 9 }, callOf())).projects).toEqual([]);
  });

  it('takes numbers as text, as an index in CSV has them', async () => {
    const { handler, input } = line(hosted(), { create: undated });
    const entry = Object.fromEntries(Object.entries(input.entry).map(([name, value]) => [name, String(value)]));
    expect(await handler({ ...input, entry }, contextOf())).toMatchObject({ entry: 1, line: 11, ...made });
  });

  it('opens the manifest that its input names, as the company', async () => {
    const opened: unknown[] = [];
    const { input } = line(hosted(), '{}');
    const open = (companyId: string, file: ObjectVersion | undefined) => {
      opened.push([companyId, file]);
      return fileOf('{}');
    };
    await bulkLineTask(hosted(), open, options)({ ...input, file: { key: 'k', etag: 'e' } }, contextOf());
    expect(opened).toEqual([['acme', { key: 'k', etag: 'e' }]]);
  });
});

describe('what can never succeed is a result', () => {
  it.each<[string, unknown, string, string[]]>([
    ['no JSON', '{', 'Segue.Terminal.malformed-json', [' syntax']],
    ['no command', {}, 'Segue.Terminal.invalid-parameter', [' required']],
    [
      'a project with faults',
      { create: { ...undated, name: 5, bogus: 1 } },
      'Segue.Terminal.invalid-project',
      ['/name wrong-type', '/bogus unknown-field'],
    ],
  ])('%s', async (_, command, failure, faults) => {
    const result = await run(hosted(), command);
    expect(result).toMatchObject({ entry: 1, line: 11, outcome: 'failed', failure });
    const cause = JSON.parse(result.outcome === 'failed' ? result.cause : '');
    const found = cause.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
    expect(found).toEqual(faults);
    expect(cause.faults).toBe(faults.length);
  });

  it('with a hundred faults, each of them told', async () => {
    const segments = Array.from({ length: 120 }, () => ({ content: 5 }));
    const result = await run(hosted(), { create: { ...undated, segments } });
    const cause = JSON.parse(result.outcome === 'failed' ? result.cause : '');
    expect(cause.errors).toHaveLength(100);
  });

  it('is in the log like any failure', async () => {
    const lines: LogLine[] = [];
    const { input } = line(hosted(), '{');
    await bulkLineTask(hosted(), () => fileOf('{'), { ...options, log: (entry) => lines.push(entry) })(
      input,
      contextOf(),
    );
    expect(lines).toMatchObject([{ operation: 'bulkLine', companyId: 'acme', problem: 'malformed-json' }]);
  });
});

describe('what may succeed later is a failure', () => {
  it.each([
    ['unavailable', 'Segue.Retryable.unavailable'],
    ['request-in-progress', 'Segue.Retryable.request-in-progress'],
    ['outcome-unknown', 'Segue.Unknown.outcome-unknown'],
  ] as const)('%s', async (type, name) => {
    const service = fakeService({ create: () => Promise.reject(new Problem(type, { detail: 'Why.' })) });
    const { handler, input } = line(service, { create: undated });
    const operationId = type === 'outcome-unknown' ? operationIdOf(`bulk ${manifest.sha256} 1`) : undefined;
    const failure = await failureOf(handler, input);
    expect([failure.name, failure.cause.detail, failure.cause.operationId]).toEqual([name, 'Why.', operationId]);
  });

  it.each([
    ['nothing', undefined],
    ['a line without a manifest', { companyId: 'acme', entry: { entry: 1, line: 1, offset: 0, bytes: 1 } }],
    ['a line that is no number', { companyId: 'acme', manifest, entry: { entry: 'a', line: 1, offset: 0, bytes: 1 } }],
  ])('and so is an input that is %s', async (_, input) => {
    const handler = bulkLineTask(fakeService(), () => fileOf(''), options);
    expect((await failureOf(handler, input)).name).toBe('Segue.Terminal.invalid-parameter');
  });
});
