import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { mapper } from '../../../lib/webhooks/mapping/mapper.ts';
import { readJson } from '../../../lib/webhooks/mapping/read-body.ts';
import { valueAt, withValueAt } from '../../contract/pointer.ts';
import { spoiled, spots } from '../../contract/spoiling.ts';
import { EXTENSIONS, type Row, TABLES } from '../../contract/tables.ts';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { type Json, type JsonObject, uniqueId } from '../../support/projects.ts';
import { projectIn } from '../hosted/fixture.ts';
import { contextOf, eventOf, keptLog, readAnswer } from '../http/fixture.ts';
import { project } from '../support.ts';
import { DeliveryWorld } from './world.ts';

const ours = mapper();
afterAll(() => ours.close());

const Refused = z.object({ type: z.string(), errors: z.optional(z.array(z.unknown())) });

/** What HTTP answers to a body: no problem where it is taken. */
async function overHttp(service: ProjectService, body: unknown) {
  const event = eventOf('createProject', { body: JSON.stringify(body) });
  const { status, json } = readAnswer(await createProject(service, keptLog().options)(event, contextOf()));
  if (status === 201) return undefined;
  const { type, errors } = Refused.parse(json);
  return { problem: type.split('/').at(-1), errors };
}

/** A body as a mapping gets it: what is too large for a number is text there. */
function mapped(body: unknown): unknown {
  return readJson(Buffer.from(JSON.stringify(body)));
}

/** What became of messages, each with the id of its place in the list. */
async function throughMapping(bodies: readonly unknown[]) {
  const world = new DeliveryWorld();
  for (const [n, body] of bodies.entries()) await world.inbox.accept(world.message(body, { id: `${n}` }));
  await world.run({ mapper: ours });
  const states = await Promise.all(bodies.map((_, n) => world.stateOf({ source: 'cms', id: `${n}` })));
  return { world, states };
}

const rows = [...TABLES, ...EXTENSIONS].flatMap(({ pointer, rows }) =>
  rows.map((row) => [`${pointer}/${row.field}`, row] as const),
);

describe('each row of the tables of fields, through a mapping that returns its message', () => {
  it.each(rows)('%s: creates every valid value as it was sent', async (pointer, { good, required }: Row) => {
    const values: (Json | undefined)[] = required ? [...good] : [...good, undefined, null];
    const { world, states } = await throughMapping(
      values.map((value) => ({ create: withValueAt(project(), pointer, value) })),
    );
    for (const [n, state] of states.entries()) {
      if (state.kind !== 'done') throw new Error(`${JSON.stringify(values[n])}: ${JSON.stringify(state)}`);
      const { projectId } = z.object({ projectId: z.number() }).parse(state.result);
      const made = await world.service().get({ id: projectId }, undefined, world.call('acme'));
      const value = values[n];
      if (value !== undefined && value !== null) expect(valueAt(await projectIn(made), pointer)).toEqual(value);
    }
  });

  it(
    'makes an invalid value a dead letter, with the problem and the faults of HTTP',
    async () => {
      const sent = project();
      // a message may leave out when its project begins
      const bad = spots(sent).filter(({ pointer, value }) => pointer !== '/startDateUtc' || value !== undefined);
      const bodies = bad.map((spot) => spoiled(sent, spot));
      const { world, states } = await throughMapping(bodies.map((body) => ({ create: body })));
      expect(bodies.length).toBeGreaterThan(200);
      for (const [n, state] of states.entries()) {
        const { problem, errors } = state.kind === 'dead' ? state.failure : { problem: state.kind, errors: undefined };
        expect({ problem, errors }, bad[n]?.pointer).toEqual(await overHttp(world.service(), mapped(bodies[n])));
      }
    },
    MUCH_WORK_MS,
  );
});

describe('a deletion through a mapping', () => {
  const customId = uniqueId();
  const segments = [{ content: 'one', taskId: 'a' }, { content: 'two' }];

  it.each<[JsonObject, JsonObject]>([
    [
      { scope: 'project', customId },
      { scope: 'project', outcome: 'deleted' },
    ],
    [
      { scope: 'task', customId, taskId: 'a' },
      { scope: 'task', outcome: 'deleted', taskId: 'a' },
    ],
    [
      { scope: 'task', customId, taskId: 'b' },
      { scope: 'task', outcome: 'already-absent' },
    ],
    [
      { scope: 'project', projectId: 1 },
      { scope: 'project', outcome: 'already-absent' },
    ],
  ])('%j gives %j', async (deletion, result) => {
    const world = new DeliveryWorld();
    await world.make(project({ customId, segments }));
    const message = world.message({ delete: deletion });
    await world.inbox.accept(message);
    await world.run({ mapper: ours });
    expect(await world.stateOf(message)).toMatchObject({ kind: 'done', result });
  });

  it.each<[JsonObject, string]>([
    [{}, '/delete/scope'],
    [{ scope: 'project' }, '/delete/projectId'],
    [{ scope: 'project', projectId: 1, customId }, '/delete/projectId'],
    [{ scope: 'project', customId, taskId: 'a' }, '/delete/taskId'],
    [{ scope: 'task', customId }, '/delete/taskId'],
    [{ scope: 'task', customId, taskId: '' }, '/delete/taskId'],
    [{ scope: 'task', customId, taskId: null }, '/delete/taskId'],
    [{ scope: 'task', customId, taskid: 'a' }, '/delete/taskid'],
    [{ scope: 'Project', customId }, '/delete/scope'],
    [{ scope: 'project', customId: '..' }, '/delete/customId'],
    [{ scope: 'project', projectId: '1' }, '/delete/projectId'],
  ])('%j deletes nothing', async (deletion, pointer) => {
    const world = new DeliveryWorld();
    await world.make(project({ customId, segments }));
    const message = world.message({ delete: deletion });
    await world.inbox.accept(message);
    await world.run({ mapper: ours });
    expect(await world.stateOf(message)).toMatchObject({
      kind: 'dead',
      failure: { problem: 'invalid-parameter', errors: expect.arrayContaining([expect.objectContaining({ pointer })]) },
    });
    expect(await world.made()).toEqual([customId]);
  });
});
