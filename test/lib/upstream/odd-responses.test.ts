import { describe, expect, it } from 'vitest';
import { runCreation } from '../../../lib/service/command.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import { audit } from '../../../lib/upstream/audit.ts';
import { asObject, type Json, type JsonObject, member, segment, target } from '../../support/projects.ts';
import { contentOf } from '../../support/world.ts';
import { problemOf } from '../support.ts';
import type { Kind } from './server.ts';
import { HostedUpstream, lost, type Shown } from './world.ts';

/** Returns the value with the part at a path replaced. `undefined` removes the part. */
function changed(whole: Json, [step = '', ...rest]: readonly string[], value: Json | undefined): Json {
  if (Array.isArray(whole)) return whole.map((entry, n) => (String(n) === step ? changed(entry, rest, value) : entry));
  const { [step]: before, ...others } = asObject(whole);
  // Lists have no segments.
  if (before === undefined && rest.length > 0) return whole;
  const after = rest.length > 0 ? changed(before ?? null, rest, value) : value;
  return { ...others, ...(after !== undefined && { [step]: after }) };
}

/** Returns a change of the responses of some kinds at one place. */
const showOddly =
  (kinds: readonly Kind[], path: string, value: Json | undefined): Shown =>
  (project, kind) =>
    kinds.includes(kind) ? changed(project, path.split('/'), value) : project;

/** A project with every kind of field whose type a service may change. */
const FIELDS: JsonObject = {
  customId: 'a',
  taskId: 'own',
  description: 'Text',
  targetLanguages: [target({ team: [member({ isProofreader: true })] }), { targetLanguageCode: 'fr-FR' }],
  segments: [segment({ customId: 's1', notes: 'Note' }), segment({ taskId: 'other' })],
};
const WHOLE = { kind: 'project' } as const;

/** Segue in front of a service that may answer with unusual values. */
class OddUpstream extends HostedUpstream {
  readonly ours = this.segue();

  create(fields: JsonObject, key: string, companyId = 'company') {
    return this.ours.create(this.world.checked(fields), this.world.hurried(key, { companyId }));
  }

  /** Runs an audit two hours later, when no project is young. */
  audit() {
    const { client, world } = this;
    const now = () => world.nowMs + 7_200_000;
    const options = { client, storage: world.storage, customIdPrefix: 'segue', now };
    return audit(options, ['company', 'beta'], { remainingMs: () => 60_000 });
  }
}

/** Creates, reads, lists and deletes a project, and expects normal results. */
async function goesWell(upstream: OddUpstream): Promise<void> {
  const { ours, world } = upstream;
  const created = await upstream.create(FIELDS, 'key');
  const { id } = created;
  const [name = ''] = await upstream.names();
  /** Returns the project as the service shows it, with the custom id that the caller sent. */
  const passedOn = async (kind: Kind) => {
    const document = await upstream.service.get({ customId: name }, undefined, upstream.account());
    return { ...asObject(upstream.shown(await contentOf(document), kind)), customId: 'a' };
  };
  expect(await contentOf(created)).toEqual(await passedOn('create'));

  const whole = await passedOn('read');
  for (const ref of [{ id }, { customId: 'a' }]) {
    expect(await contentOf(await ours.get(ref, undefined, world.call()))).toEqual(whole);
  }
  expect(await upstream.state('key')).toMatchObject({ kind: 'done', result: { id } });
  expect(await contentOf(await upstream.create(FIELDS, 'key'))).toEqual(whole);
  const other = upstream.create({ ...FIELDS, name: 'Another' }, 'key');
  expect((await problemOf(other)).name).toBe('idempotency-key-reused');
  expect((await ours.list({ limit: 9 }, world.call())).projects).toMatchObject([{ id, customId: 'a' }]);
  expect(await upstream.audit()).toMatchObject({ unowned: [], missing: [] });

  expect(await ours.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'deleted' });
  expect((await problemOf(ours.get({ id }, undefined, world.call()))).name).toBe('project-not-found');
  expect((await ours.list({ limit: 9 }, world.call())).projects).toEqual([]);
  expect(await upstream.names()).toEqual([]);
}

/** The kinds of responses that are changed: only those to a create, or all. */
const KINDS: readonly (readonly Kind[])[] = [['create'], ['create', 'find', 'read', 'list']];

describe.each(KINDS.map((kinds) => ({ kinds })))('in the responses to $kinds', ({ kinds }) => {
  const LANGUAGE = ['targetLanguages', '0'];
  const MEMBER = [...LANGUAGE, 'team', '0'];
  const SEGMENT = ['segments', '0'];
  const NOTE = [...SEGMENT, 'languageSpecificNotes', '0'];
  const rows: readonly (readonly [path: readonly string[], ...values: readonly (Json | undefined)[]])[] = [
    [[...LANGUAGE, 'state'], 'Completed', null, 7, undefined],
    [[...LANGUAGE, 'progress'], -1, 101, null, 'half', undefined],
    [[...LANGUAGE, 'flag'], 3, true, { colour: 'red' }, undefined],
    [['domain'], 7, { id: 7 }, undefined],
    [[...MEMBER, 'translationRate'], '0.10 EUR', undefined],
    [[...MEMBER, 'proofreadingRate'], '0.05 EUR', undefined],
    [[...MEMBER, 'translationProductivity'], 'high', undefined],
    [[...MEMBER, 'proofreadingProductivity'], 'high', undefined],
    [[...MEMBER, 'proofreadedBy'], 'Example Person', undefined],
    [[...NOTE, 'languageId'], null, undefined],
    [[...SEGMENT, 'languageSpecificNotes'], 'Informal', null],
    [[...SEGMENT, 'id'], '7c9e6679-7425-40de-944b-e07fc1f90ae7', null, undefined],
    [['segments'], undefined, null, 'none', {}],
    [['targetLanguages'], undefined, null, {}],
    [['creationDateUtc'], undefined, null, 1_763_640_000_000, '20 November 2026'],
    [['taskId'], 5, '', null],
  ];
  const cases = rows.flatMap(([path, ...values]) => values.map((value) => ({ path: path.join('/'), value })));

  it.each(cases)('the value $value of $path breaks nothing', async ({ path, value }) => {
    const upstream = new OddUpstream();
    upstream.shown = showOddly(kinds, path, value);
    await goesWell(upstream);
  });
});

it.each([0, 2_000])('large and precise numbers keep their digits, beside %i characters', async (length) => {
  const numbers = ['9007199254740993', '12345678901234567890', '0.12345678901234567', '1e400'];
  const upstream = new OddUpstream();
  const { ours, world } = upstream;
  upstream.shown = (project) => ({ ...project, numbers: 'PRECISE', description: 'x'.repeat(length) });
  upstream.way = async (_, reach) => {
    const answer = await reach();
    return {
      ...answer,
      body: Buffer.from(Buffer.from(answer.body).toString().replaceAll('"PRECISE"', `[${numbers}]`)),
    };
  };
  const { id, json } = await upstream.create(FIELDS, 'key');
  for (const text of [json, (await ours.get({ id }, undefined, world.call())).json]) {
    expect(Buffer.from(decodeText(text)).toString()).toContain(`"numbers":[${numbers}]`);
  }
  const { projects } = await ours.list({ limit: 9 }, world.call());
  expect(JSON.stringify(projects)).toContain(`"numbers":[${numbers}]`);
});

it.each([
  ['segments', { segments: null, targetLanguages: 2 }],
  ['targetLanguages', { segments: 2, targetLanguages: null }],
])('a command succeeds without %s in the response, and their count is null', async (field, counts) => {
  const upstream = new OddUpstream();
  upstream.shown = showOddly(['create'], field, undefined);
  const { ours, world } = upstream;
  const result = await runCreation(ours, world.checked(FIELDS), world.call(), world.nowMs);
  expect(result).toEqual({ projectId: expect.any(Number), ...counts });
});

describe.each<{ kinds: readonly Kind[] }>([
  { kinds: ['create'] },
  { kinds: ['read'] },
  { kinds: ['create', 'find'] },
  { kinds: ['create', 'find', 'read'] },
])('an odd id or custom id in the responses to $kinds', ({ kinds }) => {
  const GUID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  const odd: readonly (readonly [field: string, value: Json | undefined])[] = [
    ...[undefined, null, 0, -1, 1.5, 2 ** 53, GUID, '01000', true, [1_002], {}].map((id) => ['id', id] as const),
    // A project of the same company.
    ['id', 'mine'],
    ...[undefined, null, 5, '', 'a', 'segue.company.n.b', ['segue.company.n.a'], 'segue.beta.n.a'].map(
      (customId) => ['customId', customId] as const,
    ),
  ];

  it.each(odd)('loses no project and adopts no other: %s %o', async (field, value) => {
    const upstream = new OddUpstream();
    const { ours, world } = upstream;
    const mine = await upstream.create({ customId: 'mine' }, 'mine');
    await upstream.create({ customId: 'a' }, 'a', 'beta');
    const others = await upstream.names();
    const { shown } = upstream;
    const beOdd = () => {
      upstream.shown = showOddly(kinds, field, value === 'mine' ? mine.id : value);
    };
    const settle = async () => {
      upstream.shown = shown;
      world.settle();
      await ours.reconcile(() => true);
    };

    beOdd();
    const created = await upstream.create(FIELDS, 'key').catch(({ name }: { readonly name: string }) => name);
    const [ownId] = (await upstream.heads()).map(({ id }) => id);
    if (typeof created === 'string') expect(created).toBe('outcome-unknown');
    else expect([created.id, (await contentOf(created))['customId']]).toEqual([ownId, 'a']);
    // A done operation shows the project, which cannot be read now.
    expect(await upstream.state('key').catch(() => 'unreadable')).not.toMatchObject({ kind: 'failed' });
    await problemOf(ours.delete({ customId: 'mine' }, { kind: 'task', taskId: 'none' }, world.call()));
    expect(await upstream.names()).toEqual(['segue.company.n.a', ...others]);

    await settle();
    expect(await upstream.state('key')).toMatchObject({ kind: 'done', result: { id: ownId } });
    expect(await upstream.audit()).toMatchObject({ unowned: [], missing: [] });

    beOdd();
    await ours.delete({ customId: 'a' }, WHOLE, world.call()).catch(() => {});
    await settle();
    // The project is deleted or unchanged.
    await ours
      .delete({ customId: 'a' }, WHOLE, world.call())
      .catch(({ name }) => expect(name).toBe('project-not-found'));
    expect(await upstream.names()).toEqual(others);
  });
});

it.each([
  // Local time of a service west of Greenwich, without its offset.
  '2026-11-20T05:00:00',
  // The day alone, as a date type writes it.
  '2026-11-20T00:00:00',
  '2026-11-20',
  // The default value of a date type.
  '0001-01-01T00:00:00',
  '0001-01-01T00:00:00Z',
])('a creation whose response is lost finds its project with the creation date %s', async (creationDateUtc) => {
  const upstream = new OddUpstream();
  upstream.shown = showOddly(['find', 'read'], 'creationDateUtc', creationDateUtc);
  upstream.next('create', lost);
  expect(await contentOf(await upstream.create(FIELDS, 'key'))).toMatchObject({ creationDateUtc });
  expect(await upstream.names()).toEqual(['segue.company.n.a']);
});

it('a creation that gets only ids of other projects of the company is looked up once', async () => {
  const upstream = new OddUpstream();
  const ids = [await upstream.create({ customId: 'b' }, 'b'), await upstream.create({ customId: 'c' }, 'c')].map(
    ({ id }) => id,
  );
  const { shown } = upstream;
  // The response has the first project's id, and each lookup has another id.
  let looks = 0;
  upstream.shown = (project, kind) => ({ ...project, id: ids[kind === 'create' ? 0 : ++looks % 2] ?? 0 });
  upstream.asked.splice(0);
  expect((await problemOf(upstream.create(FIELDS, 'key'))).name).toBe('outcome-unknown');
  expect(upstream.asked).toEqual(['create', 'find']);

  upstream.shown = shown;
  await upstream.ours.reconcile(() => true);
  const [head] = await upstream.heads();
  expect(await upstream.state('key')).toMatchObject({ kind: 'done', result: { id: head?.id } });
});

it.each([
  ['another company’s project', 'theirs'],
  ['no project', 5_000],
])('a creation that gets the id of %s touches no other project, and its owner can reach it', async (_, shownId) => {
  const upstream = new OddUpstream();
  const { ours, world } = upstream;
  await upstream.create({ customId: 'mine' }, 'mine');
  const theirs = await upstream.create({ customId: 'a' }, 'a', 'beta');
  const others = await upstream.names();
  const id = shownId === 'theirs' ? theirs.id : 5_000;
  upstream.shown = showOddly(['create'], 'id', id);
  expect((await upstream.create(FIELDS, 'key')).id).toBe(id);
  for (const ref of [{ id }, { customId: 'a' }]) {
    expect(await contentOf(await ours.get(ref, undefined, world.call()))).toMatchObject({ id, customId: 'a' });
  }
  expect(await ours.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'deleted' });
  expect(await upstream.names()).toEqual(others);
  expect((await problemOf(ours.get({ customId: 'a' }, undefined, world.call()))).name).toBe('project-not-found');
  expect(await upstream.audit()).toMatchObject({ unowned: [], missing: [] });
});
