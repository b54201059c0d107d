import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES } from '../../../lib/service/http-client/response-body.ts';
import { operationIdOf } from '../../../lib/service/port.ts';
import { owning, type Played, type Plays, playing } from './played-service.ts';
import {
  ABSENT,
  AMBIGUOUS,
  EVERYWHERE,
  found,
  gone,
  NOT_THE_SERVICE,
  project,
  type Row,
  taskless,
  UNREADABLE,
} from './responses.ts';
import { breakOff, empty, inTurn, json, type Play, problem, text } from './server.ts';
import { answered, checked, kept, problemOf, type World } from './world.ts';

const create = ({ world, service }: Played) => service.create(project, world.call());
const get = ({ world, service }: Played) => service.get({ id: 1_000 }, undefined, world.call());
const getTask = ({ world, service }: Played) => service.get({ id: 1_000 }, 't', world.call());
const validate = ({ world, service }: Played) => service.validate(project, world.call());

/** With an account of its own a company's custom ids are looked up at the service. */
const alone = (plays: Plays) => playing(plays, { isOwnAccount: async () => true });

const withKey = ({ world }: { readonly world: World }) => world.once('k');

describe('a creation that was refused', () => {
  const rows: readonly Row[] = [
    ...EVERYWHERE,
    ['404', empty(404), 'upstream-refused'],
    ['413', empty(413), 'too-large'],
    ['400 invalid-project', problem(400, 'invalid-project'), 'upstream-refused'],
    ['404 project-not-found', problem(404, 'project-not-found'), 'upstream-refused'],
    ['500 team-without-translator', problem(500, 'team-without-translator'), 'team-without-translator'],
  ];
  it.each(rows)('is not looked for, and leaves key and custom id free: %s', async (_, play, type) => {
    const played = await playing({ create: play });
    const { world, service, asked } = played;
    const refusal = await problemOf(service.create(project, withKey(played)));
    expect(refusal.name).toBe(type);
    expect(asked()).not.toContain('find');
    expect(await service.operation(operationIdOf('k'), world.call())).toMatchObject({ kind: 'failed' });
    await expect(service.validate(project, world.call())).resolves.toBeUndefined();
    expect(await service.reconcile(() => true)).toEqual({ settled: 0, givenUp: 0, left: 0, oldestMs: 0 });
  });
});

describe('a creation whose answer tells nothing', () => {
  const rows: readonly (readonly [what: string, play: Play])[] = [
    ...AMBIGUOUS,
    ...UNREADABLE.map(([what, play]) => [`a success with ${what}`, play] as const),
    ['a success that breaks off', breakOff(201)],
    ['202', empty(202)],
    ['204', empty(204)],
    ['303, which may follow on a creation', empty(303, { location: '/' })],
    ['409, which may be about what was sent twice on the way', empty(409)],
    ['409 custom-id-in-use', problem(409, 'custom-id-in-use')],
    ['a success with another project', json(201, answered(checked({ customId: 'b' })))],
  ];
  it.each(rows)('is an unknown outcome that names its operation, and sent once: %s', async (_, play) => {
    const played = await playing({ create: play });
    const { name, occurrence } = await problemOf(create(played));
    expect(name).toBe('outcome-unknown');
    expect(occurrence.isRunning).toBeUndefined();
    expect(played.asked().filter((kind) => kind === 'create')).toHaveLength(1);
    const call = played.world.call();
    expect(await played.service.operation(occurrence.operationId ?? '', call)).toEqual({ kind: 'running' });
  });

  it.each(rows)('is adopted where it is found: %s', async (_, play) => {
    const name = 'segue.company.n.a';
    const find = inTurn(gone, json(200, answered(checked({ customId: name }))));
    const played = await playing({ create: play, find });
    expect((await create(played)).id).toBe(1_000);
    expect(played.asked()).toEqual(['create', 'find', 'find']);
  });
});

describe('reads', () => {
  const ANOTHER = json(200, answered(checked({ customId: 'segue.other.n.a' })));
  const rows: readonly Row[] = [
    ...EVERYWHERE,
    ['413', empty(413), 'upstream-refused'],
    ...AMBIGUOUS.map(([what, play]): Row => [what, play, 'upstream-unavailable']),
    ...UNREADABLE.map(([what, play]): Row => [`a success with ${what}`, play, 'upstream-invalid']),
    ['a success that breaks off', breakOff(200), 'upstream-unavailable'],
    ['204', empty(204), 'upstream-invalid'],
    ['302', empty(302, { location: '/' }), 'upstream-refused'],
  ];
  it.each(rows)('get: %s', async (_, read, type) => {
    expect((await problemOf(get(await owning(project, { read })))).name).toBe(type);
  });
  it.each(rows)('validate, with an account of its own: %s', async (_, find, type) => {
    expect((await problemOf(validate(await alone({ find })))).name).toBe(type);
  });

  it.each(ABSENT)('a project is not there: %s', async (_, play) => {
    const owned = await owning(project, { read: play });
    expect((await problemOf(get(owned))).name).toBe('project-not-found');
    expect((await problemOf(getTask(owned))).name).toBe('project-not-found');
    await expect(validate(await alone({ find: play }))).resolves.toBeUndefined();
  });
  it.each(NOT_THE_SERVICE)('nothing shows that a project is not there: %s', async (_, play) => {
    const owned = await owning(project, { read: play });
    expect((await problemOf(get(owned))).name).toBe('upstream-refused');
    expect((await problemOf(getTask(owned))).name).toBe('upstream-refused');
    expect((await problemOf(validate(await alone({ find: play })))).name).toBe('upstream-refused');
  });

  it.each([
    ['404 task-not-found, where no task was asked for', getTask, problem(404, 'task-not-found'), 'upstream-refused'],
    ['a project without the task', getTask, taskless, 'task-not-found'],
    ['another project', get, json(200, kept(project, 1_001)), 'upstream-invalid'],
    ['another company’s project under its id', get, ANOTHER, 'upstream-invalid'],
    ['another company’s project under its id, without the task', getTask, ANOTHER, 'upstream-invalid'],
  ] as const)('%s', async (_, work, read, type) => {
    expect((await problemOf(work(await owning(project, { read })))).name).toBe(type);
  });
  it.each([
    ['a project with another custom id', json(200, answered(checked())), 'upstream-invalid'],
    ['a custom id in use', json(200, answered(project)), 'custom-id-in-use'],
  ] as const)('validate, with an account of its own: %s', async (_, find, type) => {
    expect((await problemOf(validate(await alone({ find })))).name).toBe(type);
  });

  it('a project that was created just now is looked for again as long as it may take to show', async () => {
    const played = await playing({ read: inTurn(gone, gone, found) });
    await create(played);
    expect((await get(played)).id).toBe(1_000);
    expect(played.asked()).toEqual(['create', 'read', 'find', 'read', 'find', 'read']);
  });
});

it('Retry-After is passed on', async () => {
  const { occurrence } = await problemOf(create(await playing({ create: empty(429, { 'retry-after': '31' }) })));
  expect(occurrence.retryAfterSeconds).toBe(31);
});

it('an answer larger than the limit is not read', async () => {
  const chunk = Buffer.alloc(8_388_608, ' ');
  const endless: Play = (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };
  expect((await problemOf(get(await owning(project, { read: endless })))).name).toBe('upstream-invalid');
});

it('a small answer that unpacks to more than the limit is not unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1, ' '), { level: 1 });
  const read = text(200, bomb, { 'content-encoding': 'gzip' });
  expect((await problemOf(get(await owning(project, { read })))).name).toBe('upstream-invalid');
});

it.each([
  ['within the request', 401, 1],
  ['for the next request', 403, 0],
])('refused credentials are read anew once, %s after a %i', async (_, status, reads) => {
  const played = await owning(project, { read: inTurn(found, empty(status), found) });
  const { secretReads } = played.service;
  await get(played);
  const before = secretReads();
  await problemOf(get(played));
  expect(secretReads() - before).toBe(reads);
  await get(played);
  expect(secretReads() - before).toBe(1);
  expect(played.asked()).toEqual(['read', 'read', 'read']);
});
