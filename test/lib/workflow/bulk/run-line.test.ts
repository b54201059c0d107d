import { describe, expect, it } from 'vitest';
import { utc } from '../../../../lib/contract/date.ts';
import { Problem } from '../../../../lib/contract/problem.ts';
import { operationIdOf, type ProjectService } from '../../../../lib/service/port.ts';
import type { Entry } from '../../../../lib/workflow/bulk/manifest.ts';
import { digestOf, LINE_RETENTION_MS, lineKey } from '../../../../lib/workflow/bulk/manifest-line.ts';
import { bulkLineTask } from '../../../../lib/workflow/bulk/run-line.ts';
import { PUT_COUNTS, putPlan, putResult } from '../../../support/put-results.ts';
import { hosted } from '../../../support/world.ts';
import { contextOf, fakeService } from '../../http/fixture.ts';
import { openSqlite } from '../../storage/folder.ts';
import { callContext, checked, heldNow, NOW_MS, project } from '../../support.ts';
import { failureOf, faultsIn, fileOf, options } from '../world.ts';

/** Returns the task, and its input for a command that is the only line of a manifest. */
function line(
  service: ProjectService,
  command: unknown,
  { entry = 1, occurrence = 1, run = 'a.jsonl', validateOnly = false, now = options.now } = {},
) {
  const text = typeof command === 'string' ? command : JSON.stringify(command);
  const at: Entry = { entry, line: entry + 10, offset: 0, bytes: Buffer.byteLength(text), occurrence };
  const handler = bulkLineTask(service, () => fileOf(text), { ...options, now });
  return { handler, input: { companyId: 'acme', run, validateOnly, entry: at } };
}

const run = (...args: Parameters<typeof line>) => {
  const { handler, input } = line(...args);
  return handler(input, contextOf());
};
const { startDateUtc: _, ...undated } = project();
const made = { outcome: 'created', projectId: expect.any(Number), segments: 1, targetLanguages: 1 };

describe('the task of a line', () => {
  it('creates once, and marks a repeated result', async () => {
    const service = hosted();
    const first = await run(service, { create: undated });
    expect(first).toEqual({ entry: 1, line: 11, replayed: false, ...made });
    expect(await run(service, { create: undated })).toEqual({ ...first, replayed: true });
    expect((await service.list({ limit: 9 }, callContext())).projects).toHaveLength(1);
  });

  it('recognises a line in another place and in another form', async () => {
    const service = hosted();
    await run(service, { create: undated });
    const { name, ...rest } = undated;
    const moved = { create: { ...rest, description: null, startDateUtc: utc(NOW_MS), name } };
    expect(await run(service, moved, { entry: 7 })).toMatchObject({ entry: 7, line: 17, replayed: true, ...made });
  });

  it('with an idempotency key is the same request as over HTTP, in every run', async () => {
    const service = hosted();
    const keyed = { create: undated, idempotencyKey: 'k' };
    await service.create(checked(), { ...callContext(), idempotency: { key: 'k', replayed: () => {} } });
    expect(await run(service, keyed)).toMatchObject({ replayed: true });
    expect(await run(service, keyed, { run: 'b.jsonl', occurrence: 2 })).toMatchObject({ replayed: true });
    const other = { create: { ...undated, name: 'Another' }, idempotencyKey: 'k' };
    expect(await run(service, other)).toMatchObject({ failure: 'Segue.Terminal.idempotency-key-reused' });
  });

  it('remembers a line for 90 days', async () => {
    const storage = openSqlite(heldNow);
    let nowMs = NOW_MS;
    const now = () => nowMs;
    const service = hosted({ storage, now });
    const command = { create: { ...undated, endDateUtc: utc(NOW_MS + 2 * LINE_RETENTION_MS) } };
    await run(service, command, { now });
    nowMs += LINE_RETENTION_MS - 1;
    expect(await run(service, command, { now })).toMatchObject({ replayed: true });
    nowMs += 1;
    expect(await run(service, command, { now })).toMatchObject({ outcome: 'created', replayed: false });
  });

  it.each([
    ['by its content', {}],
    ['by its own key', { idempotencyKey: 'k' }],
  ])('remembers a line %s after its end date too, until its project is deleted', async (_, own) => {
    let nowMs = NOW_MS;
    const now = () => nowMs;
    const service = hosted({ storage: openSqlite(heldNow), now });
    const command = { create: { ...undated, customId: 'x', endDateUtc: utc(NOW_MS + 1) }, ...own };
    const first = await run(service, command, { now });
    nowMs += 60_000;
    expect(await run(service, command, { now })).toEqual({ ...first, replayed: true });
    const another = { create: { ...command.create, customId: 'y' } };
    expect(await run(service, another, { now })).toMatchObject({ outcome: 'failed' });
    await service.delete({ customId: 'x' }, { kind: 'project' }, callContext());
    expect(await run(service, command, { now })).toMatchObject({ outcome: 'deleted-since' });
  });

  it.each([
    ['another line with the same content', { occurrence: 2 }],
    ['the same line of another run', { run: 'b.jsonl' }],
  ])('counts %s as another project', async (_, there) => {
    const service = hosted();
    await run(service, { create: undated });
    expect(await run(service, { create: undated }, there)).toMatchObject({ replayed: false });
    expect((await service.list({ limit: 9 }, callContext())).projects).toHaveLength(2);
  });

  it('deletes, and succeeds if the project is already absent', async () => {
    const service = hosted();
    await run(service, { create: { ...undated, customId: 'x' } });
    const deletion = { delete: { scope: 'project', customId: 'x' } };
    const receipt = { outcome: 'deleted', scope: 'project', customId: 'x', deletedAtUtc: utc(NOW_MS) };
    expect(await run(service, deletion, { entry: 2 })).toMatchObject({ ...receipt, replayed: false });
    expect(await run(service, deletion, { entry: 3 })).toMatchObject({ ...receipt, replayed: true });
    const gone = { scope: 'project', outcome: 'already-absent', replayed: false };
    expect(await run(service, deletion, { entry: 3, occurrence: 2 })).toEqual({ entry: 3, line: 13, ...gone });
  });

  it.each([
    ['create', 'created'],
    ['update', 'updated'],
    ['unchanged', 'unchanged'],
  ])('puts, and %s ends as %s', async (outcome, ended) => {
    const { segments, targetLanguages } = PUT_COUNTS;
    const service = fakeService({ put: async () => putResult({ outcome }) });
    const result = { outcome: ended, projectId: 5, customId: 'page', segments, targetLanguages };
    const put = { put: { ...undated, customId: 'page' }, revision: 7 };
    expect(await run(service, put)).toEqual({ entry: 1, line: 11, replayed: false, ...result });
  });

  it('succeeds if its put or its deletion is late', async () => {
    const service = fakeService({
      put: async () => ({ outcome: 'outdated', revision: 9 }),
      delete: () => Promise.reject(new Problem('revision-outdated', { detail: 'The project is newer.' })),
    });
    const put = { put: { ...undated, customId: 'page' }, revision: 7 };
    expect(await run(service, put)).toMatchObject({ outcome: 'outdated', revision: 9 });
    const deletion = { delete: { scope: 'project', customId: 'page', revision: 7 } };
    expect(await run(service, deletion)).toMatchObject({ scope: 'project', outcome: 'already-newer' });
  });

  it('that is only checked says what its put would do', async () => {
    const operation = () => Promise.reject(new Problem('operation-not-found', { detail: 'None.' }));
    const service = fakeService({ operation, planPut: async () => putPlan() });
    const { segments, targetLanguages, automaticCharacters } = PUT_COUNTS;
    expect(await run(service, { put: { ...undated, customId: 'page' } }, { validateOnly: true })).toEqual({
      ...{ entry: 1, line: 11, replayed: false, outcome: 'valid' },
      put: { outcome: 'update', segments, targetLanguages, automaticCharacters },
    });
  });

  it('does not recreate a project that was deleted since, and does not fail', async () => {
    const service = hosted();
    await run(service, { create: { ...undated, customId: 'x' } });
    await service.delete({ customId: 'x' }, { kind: 'project' }, callContext());
    const since = { entry: 1, line: 11, outcome: 'deleted-since', replayed: true };
    expect(await run(service, { create: { ...undated, customId: 'x' } })).toEqual(since);
    expect((await service.list({ limit: 9 }, callContext())).projects).toEqual([]);
  });

  it('accepts numbers as text, as an index in CSV has them', async () => {
    const { handler, input } = line(hosted(), { create: undated });
    const entry = Object.fromEntries(Object.entries(input.entry).map(([name, value]) => [name, String(value)]));
    expect(await handler({ ...input, entry }, contextOf())).toMatchObject({ entry: 1, line: 11, ...made });
  });
});

describe('a line that can never succeed has a result', () => {
  it.each<[string, unknown, string, string[]]>([
    ['no JSON', '{', 'Segue.Terminal.malformed-json', [' syntax']],
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
    expect([faultsIn(cause), cause.faults]).toEqual([faults, faults.length]);
  });
});

describe('a line that is only checked', () => {
  const check = (service: ProjectService, command: unknown) => run(service, command, { validateOnly: true });

  it.each<[string, unknown, object]>([
    ['a creation', { create: undated }, { create: { automaticCharacters: 0 } }],
    ['a deletion of what is not there', { delete: { scope: 'project', customId: 'none' } }, {}],
  ])('is valid: %s, and nothing is written', async (_, command, checked) => {
    const storage = openSqlite(heldNow);
    expect(await check(hosted({ storage }), command)).toEqual({
      entry: 1,
      line: 11,
      outcome: 'valid',
      replayed: false,
      ...checked,
    });
    expect((await storage.list('company/acme', { prefix: '', limit: 9, maxBytes: 9 })).items).toEqual([]);
  });

  it('has a custom id that is in use, unless the line itself made that project', async () => {
    const service = hosted();
    const command = { create: { ...undated, customId: 'x' } };
    await run(service, command);
    expect(await check(service, command)).toMatchObject({ outcome: 'valid', replayed: true });
    const other = { create: { ...undated, customId: 'x', name: 'Another' } };
    expect(await check(service, other)).toMatchObject({ failure: 'Segue.Terminal.custom-id-in-use' });
  });

  it('may be retried while an attempt at it is running', async () => {
    const service: ProjectService = { ...hosted(), operation: async () => ({ kind: 'running' }) };
    const { handler, input } = line(service, { create: { ...undated, name: 5 } }, { validateOnly: true });
    expect((await failureOf(handler, input)).name).toBe('Segue.Retryable.request-in-progress');
  });
});

describe('a line that may succeed later fails', () => {
  const at = { entry: 1, line: 1, offset: 0, bytes: 1, occurrence: 1 };

  it.each([
    ['unavailable', 'Segue.Retryable.unavailable'],
    ['request-in-progress', 'Segue.Retryable.request-in-progress'],
    ['outcome-unknown', 'Segue.Unknown.outcome-unknown'],
  ] as const)('%s', async (type, name) => {
    const service = fakeService({ create: () => Promise.reject(new Problem(type, { detail: 'Why.' })) });
    const { handler, input } = line(service, { create: undated });
    const operationId =
      type === 'outcome-unknown' ? operationIdOf(lineKey('a.jsonl', digestOf({ create: undated }), 1)) : undefined;
    const failure = await failureOf(handler, input);
    expect([failure.name, failure.cause.detail, failure.cause.operationId]).toEqual([name, 'Why.', operationId]);
  });

  it.each([
    ['nothing', undefined],
    [
      'a line without its number among equal ones',
      { companyId: 'acme', run: 'a', entry: { ...at, occurrence: undefined } },
    ],
  ])('an input that is %s also fails', async (_, input) => {
    const handler = bulkLineTask(fakeService(), () => fileOf(''), options);
    expect((await failureOf(handler, input)).name).toBe('Segue.Terminal.invalid-parameter');
  });
});
