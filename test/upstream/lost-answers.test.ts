import { describe, expect, it } from 'vitest';
import { operationIdOf } from '../../lib/service/operation-id.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { OPEN_MS } from '../../lib/upstream/breaker.ts';
import { type Answer, type Exchange, NoAnswer } from '../../lib/upstream/transport.ts';
import { faulty, storeFailure, throughout } from '../faults/faulty.ts';
import { bodyOf } from '../simulation/deeds.ts';
import { Behind, type OnTheWay, SETTLE_MS } from './behind.ts';
import { problemOf } from './world.ts';

const WISH = { name: 'A project', customId: 'a', tasks: ['t'] };
const WHOLE = { kind: 'project' } as const;

const silent = async (): Promise<Answer> => {
  throw new NoAnswer(true, 'DEADLINE');
};
const answer = (status: number, body: Answer['body']): Answer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
});

/** Does something else with the first exchange of a method; all others arrive. */
function first(method: Exchange['method'], way: OnTheWay): OnTheWay {
  let isDone = false;
  return (exchange, carryOut) => {
    if (isDone || exchange.method !== method) return carryOut();
    isDone = true;
    return way(exchange, carryOut);
  };
}

/** A world with one project, by its id. */
async function withProject() {
  const world = new Behind();
  const segue = world.segue();
  const { id } = await segue.create(bodyOf(WISH, world.nowMs), world.call());
  return { world, segue, id };
}

describe('a creation', () => {
  it.each([
    ['broken off', 'lost' as const],
    ['in words of its own', Buffer.from('Conflict')],
    ['empty', Buffer.alloc(0)],
  ])('that a proxy sent twice is found, though the second answer is a 409 %s', async (_, body) => {
    const world = new Behind();
    world.onTheWay = first('POST', async (_exchange, carryOut) => {
      await carryOut();
      return answer(409, body);
    });
    const { id } = await world.segue().create(bodyOf(WISH, world.nowMs), world.call());
    expect([...world.truth.facts.keys()]).toEqual([id]);
  });

  it('that is answered with what was answered before finds its own project, and not the one that was deleted', async () => {
    const { customId } = WISH;
    const world = new Behind();
    const segue = world.segue();
    let before = answer(500, 'lost');
    world.onTheWay = first('POST', async (_exchange, carryOut) => {
      before = await carryOut();
      return before;
    });
    const { id } = await segue.create(bodyOf(WISH, world.nowMs), world.call());
    await segue.delete({ customId }, WHOLE, world.call());
    world.nowMs += 2_000;
    world.onTheWay = first('POST', async (_exchange, carryOut) => {
      await carryOut();
      return before;
    });
    const made = await segue.create(bodyOf(WISH, world.nowMs), world.call());
    expect(made.id).not.toBe(id);
    expect((await segue.get({ customId }, undefined, world.call())).id).toBe(made.id);
  });

  it('that was found not to have been made has failed, and is made when it is sent again', async () => {
    const world = new Behind();
    const segue = world.segue();
    world.onTheWay = silent;
    const asked = () => segue.create(bodyOf(WISH, world.nowMs), world.call('key'));
    expect((await problemOf(asked())).name).toBe('outcome-unknown');
    world.onTheWay = (_, carryOut) => carryOut();
    world.nowMs += SETTLE_MS + 20_000;
    expect(await segue.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    expect(await segue.operation(operationIdOf('key'), world.call())).toMatchObject({ kind: 'failed' });
    const { id } = await asked();
    expect((await segue.list({ limit: 10 }, world.call())).projects).toMatchObject([{ id }]);
  });

  it('is answered where the answer of its last commit is lost, though the project cannot be read', async () => {
    const world = new Behind();
    world.onTheWay = (exchange, carryOut) => (exchange.method === 'GET' ? silent() : carryOut());
    // The claim is the second call of the store, and the entry of the project the third.
    const { through } = faulty((call) => (call === 3 ? 'fails after' : undefined), storeFailure);
    const segue = world.segue(throughout(world.storage, through));
    const { id } = await segue.create(bodyOf(WISH, world.nowMs), world.call());
    expect([...world.truth.facts.keys()]).toEqual([id]);
  });
});

describe('a deletion', () => {
  it('that a proxy sent twice is not refused where it cannot be looked at at once', async () => {
    const { world, segue, id } = await withProject();
    let looks = 0;
    world.onTheWay = async ({ method }, carryOut) => {
      if (method === 'DELETE') await carryOut();
      if (method === 'GET' && ++looks === 2) world.nowMs += 6_000;
      return method === 'GET' && looks === 2 ? silent() : carryOut();
    };
    expect(await segue.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'deleted' });
    expect((await segue.list({ limit: 10 }, world.call())).projects).toEqual([]);
  });

  it('that a proxy sent twice is done, though the second answer is a 404 that breaks off', async () => {
    const { world, segue, id } = await withProject();
    world.onTheWay = first('DELETE', async (_, carryOut) => {
      await carryOut();
      return answer(404, 'lost');
    });
    expect(await segue.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'deleted' });
  });

  it('stays open where an attempt after a lost answer sends nothing', async () => {
    const { world, segue, id } = await withProject();
    world.onTheWay = async ({ method }, carryOut) => {
      if (method === 'DELETE') await carryOut();
      else if (world.truth.facts.get(id)?.deletedAtMs === undefined) return carryOut();
      world.nowMs += 60_000;
      return silent();
    };
    const asked = () => segue.delete({ id }, WHOLE, world.call('key'));
    expect((await problemOf(asked())).name).toBe('outcome-unknown');
    world.onTheWay = async () => {
      throw new NoAnswer(false, 'ECONNREFUSED');
    };
    expect((await problemOf(asked())).name).toBe('outcome-unknown');
    expect(await segue.operation(operationIdOf('key'), world.call())).toEqual({ kind: 'running' });
    world.onTheWay = (_, carryOut) => carryOut();
    // After so many failures the service is left alone for a while.
    world.nowMs += OPEN_MS;
    await segue.reconcile(() => true);
    expect(await segue.operation(operationIdOf('key'), world.call())).toMatchObject({
      kind: 'done',
      result: { outcome: 'deleted', projectId: id },
    });
    expect((await segue.list({ limit: 10 }, world.call())).projects).toEqual([]);
  });

  it('that a proxy sent twice stays open where it can neither be looked at nor sent again', async () => {
    const { world, segue, id } = await withProject();
    let isSent = false;
    world.onTheWay = async ({ method }, carryOut) => {
      if (isSent) throw new NoAnswer(false, 'ECONNREFUSED');
      isSent = method === 'DELETE';
      if (isSent) await carryOut();
      return carryOut();
    };
    expect((await problemOf(segue.delete({ id }, WHOLE, world.call()))).name).toBe('outcome-unknown');
  });

  it('that a proxy sent twice is done, though what is read next is from before it', async () => {
    const { world, segue, id } = await withProject();
    let before: Answer | undefined;
    world.onTheWay = async ({ method }, carryOut) => {
      if (method === 'DELETE') await carryOut();
      const now = await carryOut();
      if (method === 'GET' && now.status === 404) {
        const lagging = before ?? now;
        before = undefined;
        return lagging;
      }
      if (method === 'GET') before = now;
      return now;
    };
    expect(await segue.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'deleted' });
  });

  it('that was only accepted is not done because a reading is from before the project was made', async () => {
    const { world, segue, id } = await withProject();
    let isAccepted = false;
    world.onTheWay = async ({ method }, carryOut) => {
      if (method === 'DELETE') isAccepted = true;
      if (method === 'DELETE') return answer(202, Buffer.alloc(0));
      return isAccepted ? answer(404, Buffer.alloc(0)) : carryOut();
    };
    expect(await segue.delete({ id }, WHOLE, world.call('key'))).toMatchObject({ outcome: 'pending' });
    world.nowMs += SETTLE_MS;
    await world.segue().reconcile(() => true);
    expect(await segue.operation(operationIdOf('key'), world.call())).toMatchObject({
      kind: 'done',
      result: { outcome: 'deleted' },
    });
  });

  it('that only seems to be done is not because one reading is from before the project was made', async () => {
    const { world, segue, id } = await withProject();
    const lagging = first('GET', async () => answer(404, Buffer.alloc(0)));
    let isSent = false;
    world.onTheWay = async (exchange, carryOut) => {
      isSent ||= exchange.method === 'DELETE';
      if (exchange.method === 'DELETE') return answer(204, Buffer.alloc(0));
      return isSent ? lagging(exchange, carryOut) : carryOut();
    };
    expect(await segue.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'pending' });
    expect((await segue.list({ limit: 10 }, world.call())).projects).toMatchObject([{ id }]);
  });

  it('of a task that was only accepted has ended once somebody else has taken the project away', async () => {
    const { world, segue, id } = await withProject();
    world.onTheWay = async ({ method }, carryOut) => (method === 'DELETE' ? answer(202, Buffer.alloc(0)) : carryOut());
    const task = { kind: 'task', taskId: 't' } as const;
    expect(await segue.delete({ id }, task, world.call('key'))).toMatchObject({ outcome: 'pending' });
    world.onTheWay = async () => answer(404, Buffer.alloc(0));
    world.nowMs += SETTLE_MS;
    await segue.reconcile(() => true);
    expect(await segue.operation(operationIdOf('key'), world.call())).toMatchObject({ kind: 'failed' });
  });

  it('of a task that was only accepted has ended once another request has deleted the project', async () => {
    const { world, segue, id } = await withProject();
    world.onTheWay = async ({ path }, carryOut) =>
      path.endsWith('?taskId=t') ? answer(202, Buffer.alloc(0)) : carryOut();
    const task = { kind: 'task', taskId: 't' } as const;
    expect(await segue.delete({ id }, task, world.call('key'))).toMatchObject({ outcome: 'pending' });
    await segue.delete({ id }, WHOLE, world.call());
    await segue.reconcile(() => true);
    expect(await segue.operation(operationIdOf('key'), world.call())).toMatchObject({ kind: 'failed' });
  });
});

it('a reconciliation leaves alone what was begun anew while it looked', async () => {
  const world = new Behind();
  const segue = world.segue();
  const asked = async () => {
    world.onTheWay = silent;
    await problemOf(segue.create(bodyOf(WISH, world.nowMs), world.call('key')));
    world.onTheWay = (_, carryOut) => carryOut();
    world.nowMs += SETTLE_MS + 20_000;
  };
  await asked();
  let isFirst = true;
  const slow: Storage = {
    ...throughout(world.storage, (call) => call()),
    async read(key) {
      if (!isFirst) return world.storage.read(key);
      isFirst = false;
      await segue.reconcile(() => true);
      const item = await world.storage.read(key);
      await asked();
      return item;
    },
  };
  await world.segue(slow).reconcile(() => true);
  await segue.reconcile(() => true);
  expect(await segue.operation(operationIdOf('key'), world.call())).toMatchObject({ kind: 'failed' });
});

describe('a project that was made just now', () => {
  /** The service finds what it has some time after it made it. */
  const lagging = (world: Behind, untilMs: number): OnTheWay => {
    return async (exchange, carryOut) =>
      exchange.method === 'GET' && world.nowMs < untilMs ? answer(404, Buffer.alloc(0)) : carryOut();
  };

  it('is looked for again as long as the service may not find it yet', async () => {
    const { world, segue, id } = await withProject();
    world.onTheWay = lagging(world, world.nowMs + SETTLE_MS / 2);
    expect((await segue.get({ id }, undefined, world.call())).id).toBe(id);
  });

  it('is gone where it is not found after that', async () => {
    const { world, segue, id } = await withProject();
    world.nowMs += SETTLE_MS;
    world.onTheWay = lagging(world, Number.POSITIVE_INFINITY);
    expect((await problemOf(segue.get({ id }, undefined, world.call()))).name).toBe('project-not-found');
  });
});
