import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createProject } from '../../../lib/operations/create-project.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { mapper } from '../../../lib/webhooks/mapping/mapper.ts';
import { readJson } from '../../../lib/webhooks/mapping/read-body.ts';
import { spoiled, spots } from '../../contract/spoiling.ts';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { type JsonObject, uniqueId } from '../../support/projects.ts';
import { contextOf, eventOf, keptLog, readAnswer } from '../http/fixture.ts';
import { project } from '../support.ts';
import { DeliveryWorld } from './world.ts';

const ours = mapper();
afterAll(() => ours.close());

const Refused = z.object({ type: z.string(), errors: z.optional(z.array(z.unknown())) });

/** Returns the problem that HTTP answers to a body, or `undefined` if the body is accepted. */
async function overHttp(service: ProjectService, body: unknown) {
  const event = eventOf('createProject', { body: JSON.stringify(body) });
  const { status, json } = readAnswer(await createProject(service, keptLog().options)(event, contextOf()));
  if (status === 201) return undefined;
  const { type, errors } = Refused.parse(json);
  return { problem: type.split('/').at(-1), errors };
}

it(
  'makes an invalid project a dead letter, with the problem and the faults of HTTP',
  async () => {
    const world = new DeliveryWorld();
    const sent = project();
    // A message may leave out the start date.
    const bad = spots(sent).filter(({ pointer, value }) => pointer !== '/startDateUtc' || value !== undefined);
    const bodies = bad.map((spot) => spoiled(sent, spot));
    for (const [n, body] of bodies.entries()) await world.inbox.accept(world.message({ create: body }, { id: `${n}` }));
    await world.run({ mapper: ours });
    expect(bodies.length).toBeGreaterThan(200);
    for (const [n, body] of bodies.entries()) {
      const state = await world.stateOf({ source: 'cms', id: `${n}` });
      const { problem, errors } = state.kind === 'dead' ? state.failure : { problem: state.kind, errors: undefined };
      // In a mapping, an integer that is too large for a number is a text.
      const mapped = readJson(Buffer.from(JSON.stringify(body)));
      // A mapping also learns how JSONata keeps a list.
      const plain = errors?.map((fault) => ({
        ...fault,
        detail: fault.detail.replace(
          / (?:JSONata makes one value|JSONata leaves a field out|A mapping returns) .*/,
          '',
        ),
      }));
      expect({ problem, errors: plain }, bad[n]?.pointer).toEqual(await overHttp(world.hosted(), mapped));
    }
  },
  MUCH_WORK_MS,
);

describe('a deletion through a mapping', () => {
  const customId = uniqueId();

  /** Sends a deletion for a project with two segments. */
  async function send(deletion: JsonObject) {
    const world = new DeliveryWorld();
    await world.make(project({ customId, segments: [{ content: 'one', taskId: 'a' }, { content: 'two' }] }));
    const message = world.message({ delete: deletion });
    await world.inbox.accept(message);
    await world.run({ mapper: ours });
    return { state: await world.stateOf(message), left: await world.made() };
  }

  it.each<[JsonObject, string, number]>([
    [{ scope: 'project', customId }, 'deleted', 0],
    [{ scope: 'task', customId, taskId: 'a' }, 'deleted', 1],
    [{ scope: 'task', customId, taskId: 'b' }, 'already-absent', 1],
    [{ scope: 'project', projectId: 1 }, 'already-absent', 1],
  ])('%j ends with %s', async (deletion, outcome, left) => {
    const sent = await send(deletion);
    expect(sent.state).toMatchObject({ kind: 'done', result: { scope: deletion['scope'], outcome } });
    expect(sent.left).toHaveLength(left);
  });

  it.each<[JsonObject, string]>([
    [{ scope: 'project', customId, taskId: 'a' }, '/delete/taskId'],
    [{ scope: 'task', customId, taskId: null }, '/delete/taskId'],
  ])('%j deletes nothing', async (deletion, pointer) => {
    const { state, left } = await send(deletion);
    const errors = expect.arrayContaining([expect.objectContaining({ pointer })]);
    expect(state).toMatchObject({ kind: 'dead', failure: { problem: 'invalid-parameter', errors } });
    expect(left).toEqual([customId]);
  });
});
