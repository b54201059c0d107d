import { describe, expect, it } from 'vitest';
import type { EventType } from '../../../lib/contract/event.ts';
import { forgetDelivered } from '../../../lib/destinations/delivered.ts';
import { RESULT_DELIVERIES, resultOpener } from '../../../lib/destinations/deliveries.ts';
import type { Sent } from '../../../lib/service/http-client/public-transport.ts';
import { answered } from '../../support/answered.ts';
import { callContext } from '../support.ts';
import { DestinationWorld } from './world.ts';

const DOWN: Sent = { kind: 'no-answer', code: 'ECONNREFUSED' };

/** A world with a translated project whose events a test makes itself. */
async function worldWith(on: readonly EventType[] = ['language.completed']) {
  const world = new DestinationWorld();
  const { destinationId: id } = await world.add({ on });
  const projectId = await world.page({ a: 'one' });
  await world.workUntilDone();
  const open = (sequence: number, type: EventType = 'language.completed', languageId = 53) => {
    const language = type.startsWith('language') ? { languageId, languageCode: 'de-DE' } : {};
    const event = {
      id: `event-${sequence}`,
      type,
      timestamp: '2026-11-20T09:30:00.000Z',
      sequence,
      data: { projectId, ...language },
    };
    return resultOpener(world.deliveries, world.now)({ companyId: 'acme', destination: { id, name: 'cms' }, event });
  };
  const ids = () => world.inputs.map(({ event }) => event.id);
  return { world, open, ids, projectId, ref: { destination: id, projectId } };
}

describe('the deliveries of a language', () => {
  it('are one for several events that wait, the newest', async () => {
    const { world, open, ids } = await worldWith();
    for (const sequence of [3, 4, 5]) await open(sequence);
    await world.run();
    expect(ids()).toEqual(['event-5']);
    expect(await world.open()).toEqual([]);
  });

  it('are opened once, however often a mover is killed', async () => {
    const { world, open, ids } = await worldWith();
    await open(3);
    await open(3);
    await world.run();
    await open(3);
    await world.run();
    expect(ids()).toEqual(['event-3']);
  });

  it('go one at a time: a newer event waits while an older one is sent', async () => {
    const { world, open, ids } = await worldWith();
    await open(3);
    const isSent = Promise.withResolvers<Sent>();
    const isSending = Promise.withResolvers<void>();
    world.answer = () => {
      isSending.resolve();
      return isSent.promise;
    };
    const first = world.run();
    await isSending.promise;
    await open(4);
    await world.run();
    expect(ids()).toEqual(['event-3']);
    world.answer = () => answered(200);
    isSent.resolve(answered(200));
    await first;
    world.nowMs += 2_000;
    await world.run();
    expect(ids()).toEqual(['event-3', 'event-4']);
  });

  it('give way to a newer event while the receiver is down', async () => {
    const { world, open, ids } = await worldWith();
    world.answer = () => DOWN;
    await open(3);
    await world.run();
    await open(4);
    world.answer = () => answered(200);
    await world.run();
    world.nowMs += 3_600_000;
    await world.run();
    expect(ids()).toEqual(['event-3', 'event-4']);
    expect(await world.open()).toEqual([]);
  });

  it('keep their order if they are of several types', async () => {
    const { world, open, ids } = await worldWith(['language.state-changed', 'language.completed']);
    world.answer = () => DOWN;
    await open(3, 'language.state-changed');
    await open(4);
    await world.run();
    expect(ids()).toEqual(['event-3']);
    world.answer = () => answered(200);
    for (let n = 0; n < 4; n++) {
      world.nowMs += 5_000;
      await world.run();
    }
    expect(ids()).toEqual(['event-3', 'event-3', 'event-4']);
  });

  it('take over the lease of a process that died, and send again with the same key', async () => {
    const { world, open } = await worldWith();
    await open(3);
    const isSending = Promise.withResolvers<void>();
    world.answer = () => {
      isSending.resolve();
      return new Promise(() => {});
    };
    void world.run();
    await isSending.promise;
    world.answer = () => answered(200);
    await world.run();
    expect(world.sent).toHaveLength(1);
    world.nowMs += RESULT_DELIVERIES.leaseMs;
    await world.run();
    expect(world.sent).toHaveLength(2);
    const [key, again] = world.sent.map(({ headers }) => headers['idempotency-key']);
    expect(again).toBe(key);
  });
});

describe('the deletion of a project', () => {
  it('ends what waits, sends nothing more, and erases what was remembered', async () => {
    const { world, open, projectId, ids } = await worldWith();
    await open(3);
    await world.run();
    world.answer = () => DOWN;
    await open(4);
    await world.run();
    await world.service.delete({ id: projectId }, { kind: 'project' }, callContext());
    await open(5, 'project.deleted');
    world.nowMs += 3_600_000;
    await world.run();
    expect(ids()).toEqual(['event-3', 'event-4']);
    expect(await world.open()).toEqual([]);
    expect(world.remembered()).toEqual([]);
  });

  it('waits for a request that is on its way, so that nothing is remembered after it', async () => {
    const { world, open, projectId } = await worldWith();
    await open(3);
    const isSent = Promise.withResolvers<Sent>();
    const isSending = Promise.withResolvers<void>();
    world.answer = () => {
      isSending.resolve();
      return isSent.promise;
    };
    const first = world.run();
    await isSending.promise;
    await world.service.delete({ id: projectId }, { kind: 'project' }, callContext());
    await open(5, 'project.deleted');
    await world.run();
    expect(await world.open()).toHaveLength(2);
    isSent.resolve(answered(200));
    await first;
    world.nowMs += 2_000;
    await world.run();
    expect(await world.open()).toEqual([]);
    expect(world.remembered()).toEqual([]);
  });

  it('can be mapped: the project has only its id then', async () => {
    const { world, open, projectId } = await worldWith(['project.deleted']);
    await world.service.delete({ id: projectId }, { kind: 'project' }, callContext());
    await open(5, 'project.deleted');
    await world.run();
    expect(world.inputs).toMatchObject([
      { project: { id: projectId, customId: null, name: null }, language: null, segments: [] },
    ]);
    expect(world.sent).toHaveLength(1);
  });

  it('before an attempt ends the delivery', async () => {
    const { world, open, projectId, ids } = await worldWith();
    await open(3);
    await world.service.delete({ id: projectId }, { kind: 'project' }, callContext());
    await world.run();
    expect(ids()).toEqual([]);
    expect(await world.open()).toEqual([]);
  });
});

it('forgets many projects of a removed destination', async () => {
  const { world, open, ref } = await worldWith();
  await open(3);
  await world.run();
  await forgetDelivered(world.deliveries, { destination: ref.destination });
  expect(world.remembered()).toEqual([]);
});
