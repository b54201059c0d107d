import { describe, expect, it } from 'vitest';
import { NoAnswer, type TransportRequest, type TransportResponse } from '../../../lib/service/http-client/transport.ts';
import { type Call, operationIdOf } from '../../../lib/service/port.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { OPEN_MS } from '../../../lib/upstream/circuit-breaker.ts';
import type { UpstreamService } from '../../../lib/upstream/service.ts';
import { faulty, storeFailure, straight, throughout } from '../../faults/faulty.ts';
import { bodyOf } from '../../faults/simulation/perform.ts';
import { asObject } from '../../support/projects.ts';
import { LaggingUpstream, type OnTheWay, SETTLE_MS } from './lagging-upstream.ts';
import { problemOf } from './world.ts';

const WISH = { name: 'A project', customId: 'a', tasks: ['t'] };
const WHOLE = { kind: 'project' } as const;

const silent = async (): Promise<TransportResponse> => {
  throw new NoAnswer(true, 'DEADLINE');
};
const answer = (status: number, body: TransportResponse['body']): TransportResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
});

/** Does something else with the first exchange of a method; all others arrive. */
function first(method: TransportRequest['method'], way: OnTheWay): OnTheWay {
  let isDone = false;
  return (exchange, carryOut) => {
    if (isDone || exchange.method !== method) return carryOut();
    isDone = true;
    return way(exchange, carryOut);
  };
}

/** A world with one project, by its id. */
async function withProject() {
  const world = new LaggingUpstream();
  const segue = world.segue();
  const { id } = await segue.create(bodyOf(WISH, world.nowMs), world.call());
  return { world, segue, id };
}

/** A world with one project that every part of the service knows. */
async function withOldProject() {
  const made = await withProject();
  made.world.nowMs += SETTLE_MS;
  return made;
}

/** Nothing has been told of the operation after so long, in milliseconds, though the service shows the project. */
async function expectStillOpenAfter(world: LaggingUpstream, ms: number) {
  world.onTheWay = (_, carryOut) => carryOut();
  world.nowMs += ms;
  const segue = world.segue();
  expect(await segue.reconcile(() => true)).toMatchObject({ settled: 0, left: 1 });
  expect(await segue.operation(operationIdOf('key'), world.call())).toEqual({ kind: 'running' });
}

describe('a creation', () => {
  it.each([
    ['broken off', 'lost' as const],
    ['in words of its own', Buffer.from('Conflict')],
    ['empty', Buffer.alloc(0)],
  ])('that a proxy sent twice is found, though the second answer is a 409 %s', async (_, body) => {
    const world = new LaggingUpstream();
    world.onTheWay = first('POST', async (_exchange, carryOut) => {
      await carryOut();
      return answer(409, body);
    });
    const { id } = await world.segue().create(bodyOf(WISH, world.nowMs), world.call());
    expect([...world.truth.facts.keys()]).toEqual([id]);
  });

  it('that is answered with what was answered before finds its own project, and not the one that was deleted', async () => {
    const { customId } = WISH;
    const world = new LaggingUpstream();
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

  it('that a proxy sent twice is found, though a lagging replica shows an old project that was deleted', async () => {
    const world = new LaggingUpstream();
    const segue = world.segue();
    const { id } = await segue.create(bodyOf(WISH, world.nowMs), world.call());
    world.nowMs += 600_000;
    let shown = answer(500, 'lost');
    world.onTheWay = async (_, carryOut) => {
      shown = await carryOut();
      return shown;
    };
    await segue.get({ id }, undefined, world.call());
    world.onTheWay = (_, carryOut) => carryOut();
    await segue.delete({ id }, WHOLE, world.call());
    let isFirst = true;
    world.onTheWay = async ({ method }, carryOut) => {
      const now = await carryOut();
      if (method === 'POST') return answer(409, Buffer.alloc(0));
      const isLagging = isFirst;
      isFirst = false;
      return isLagging ? shown : now;
    };
    const made = await segue.create(bodyOf(WISH, world.nowMs), world.call());
    expect(made.id).not.toBe(id);
  });

  it.each<[string, (segue: UpstreamService, id: number, call: Call) => Promise<unknown>]>([
    ['a reading', (segue, id, call) => segue.get({ id }, undefined, call)],
    ['a deletion', (segue, id, call) => segue.delete({ id }, WHOLE, call)],
  ])('is not taken for the deleted project that a lagging replica shows under its custom id: %s', async (_, ask) => {
    const world = new LaggingUpstream();
    const segue = world.segue();
    const { id } = await segue.create(bodyOf(WISH, world.nowMs), world.call());
    world.nowMs += 600_000;
    let old = answer(500, 'lost');
    world.onTheWay = async (_, carryOut) => {
      old = await carryOut();
      return old;
    };
    await segue.get({ id }, undefined, world.call());
    world.onTheWay = (_, carryOut) => carryOut();
    await segue.delete({ id }, WHOLE, world.call());
    const made = await segue.create(bodyOf(WISH, world.nowMs), world.call());
    const removed: string[] = [];
    world.onTheWay = async ({ method, path }) => {
      if (method === 'DELETE') removed.push(path);
      return path.includes(`/${made.id}`) ? answer(404, Buffer.alloc(0)) : old;
    };
    expect((await problemOf(ask(segue, made.id, world.call()))).name).toBe('upstream-unavailable');
    expect(removed).toEqual([]);
  });

  it('that was found not to have been made has failed, and is made when it is sent again', async () => {
    const world = new LaggingUpstream();
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
    const world = new LaggingUpstream();
    world.onTheWay = (exchange, carryOut) => (exchange.method === 'GET' ? silent() : carryOut());
    // The claim is the second call of the store, and the entry of the project the third.
    const { through } = faulty((call) => (call === 3 ? 'fails after' : undefined), storeFailure);
    const segue = world.segue(throughout(world.storage, through));
    const { id } = await segue.create(bodyOf(WISH, world.nowMs), world.call());
    expect([...world.truth.facts.keys()]).toEqual([id]);
  });

  it.each([
    ['is carried out', 'fails before'],
    ['is answered', 'fails after'],
  ] as const)('ends in time, and is found later, where no commit of its entry %s', async (_, way) => {
    const world = new LaggingUpstream();
    const { through } = faulty((call) => {
      // A loop without an end would keep all other tests waiting.
      if (call > 1_000) throw new RangeError('The store is asked without an end');
      // The first commit is the claim.
      return call > 1 ? way : undefined;
    }, storeFailure);
    const commit: Storage['commit'] = (batch) => through(() => world.storage.commit(batch));
    const segue = world.segue({ ...throughout(world.storage, straight), commit });
    const call = world.call('key');
    const { name, occurrence } = await problemOf(segue.create(bodyOf(WISH, world.nowMs), call));
    expect({ name, ...occurrence }).toMatchObject({ name: 'outcome-unknown', operationId: operationIdOf('key') });
    expect(call.deadline.remainingMs()).toBeGreaterThan(0);

    world.nowMs += SETTLE_MS;
    await world.segue().reconcile(() => true);
    const [id] = world.truth.facts.keys();
    expect(await segue.operation(operationIdOf('key'), world.call())).toMatchObject({ kind: 'done', result: { id } });
  });
});

describe('a deletion', () => {
  it('that a proxy sent twice is not refused where it cannot be looked at at once', async () => {
    const { world, segue, id } = await withOldProject();
    let looks = 0;
    world.onTheWay = async ({ method }, carryOut) => {
      if (method === 'DELETE') await carryOut();
      if (method === 'GET' && ++looks === 2) world.nowMs += 6_000;
      return method === 'GET' && looks === 2 ? silent() : carryOut();
    };
    expect(await segue.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'deleted' });
    expect((await segue.list({ limit: 10 }, world.call())).projects).toEqual([]);
  });

  it('that a proxy sent twice is not refused though a replica shows the project for long', async () => {
    const { world, segue, id } = await withOldProject();
    let shown: TransportResponse | undefined;
    world.onTheWay = async ({ method }, carryOut) => {
      if (method === 'DELETE') await carryOut();
      if (method !== 'GET') return carryOut();
      shown ??= await carryOut();
      return shown;
    };
    const { name, occurrence } = await problemOf(segue.delete({ id }, WHOLE, world.call()));
    expect(name).toBe('outcome-unknown');
    world.onTheWay = (_, carryOut) => carryOut();
    expect(await segue.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    const state = await segue.operation(occurrence.operationId ?? '', world.call());
    expect(state).toMatchObject({ kind: 'done', result: { outcome: 'deleted' } });
    expect((await segue.list({ limit: 10 }, world.call())).projects).toEqual([]);
  });

  it('that a proxy sent twice is done, though the second answer is a 404 that breaks off', async () => {
    const { world, segue, id } = await withOldProject();
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
    const { world, segue, id } = await withOldProject();
    let before: TransportResponse | undefined;
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

  it('that was accepted keeps its day if its process dies before that is written down', async () => {
    const { world, segue, id } = await withOldProject();
    let isSent = false;
    world.onTheWay = async ({ method }, carryOut) => {
      if (isSent) throw new Error('killed');
      isSent = method === 'DELETE';
      return isSent ? answer(202, Buffer.alloc(0)) : carryOut();
    };
    await expect(segue.delete({ id }, WHOLE, world.call('key'))).rejects.toThrow('killed');
    await expectStillOpenAfter(world, 86_000_000);
  });

  it.each([
    ['', 0],
    [', on a clock that was set back', -3_600_000],
  ])('that was accepted keeps its day if the process of a retry dies%s', async (_, setMs) => {
    const { world, segue, id } = await withOldProject();
    world.onTheWay = async ({ method }, carryOut) => (method === 'DELETE' ? answer(202, Buffer.alloc(0)) : carryOut());
    const request = () => segue.delete({ id }, WHOLE, world.call('key'));
    const acceptedMs = world.nowMs;
    expect(await request()).toMatchObject({ outcome: 'pending' });
    world.onTheWay = async () => {
      throw new Error('killed');
    };
    world.nowMs += setMs;
    await expect(request()).rejects.toThrow('killed');
    await expectStillOpenAfter(world, acceptedMs + 86_390_000 - world.nowMs);
  });

  it.each([
    [202, 86_390_000],
    [204, 10_000],
  ])('that was answered with %s keeps its time if the clock is set back meanwhile', async (status, openMs) => {
    const { world, segue, id } = await withOldProject();
    const sentMs = world.nowMs;
    world.onTheWay = first('DELETE', async () => {
      world.nowMs -= 3_600_000;
      return answer(status, Buffer.alloc(0));
    });
    expect(await segue.delete({ id }, WHOLE, world.call('key'))).toMatchObject({ outcome: 'pending' });
    await expectStillOpenAfter(world, sentMs + openMs - world.nowMs);
  });

  it('is not prolonged by retries that are refused', async () => {
    const { world, segue, id } = await withOldProject();
    world.onTheWay = first('DELETE', async () => answer(202, Buffer.alloc(0)));
    expect(await segue.delete({ id }, WHOLE, world.call('key'))).toMatchObject({ outcome: 'pending' });
    world.onTheWay = async ({ method }, carryOut) => (method === 'DELETE' ? answer(403, Buffer.alloc(0)) : carryOut());
    world.nowMs += 80_000_000;
    expect((await problemOf(segue.delete({ id }, WHOLE, world.call('key')))).name).toBe('outcome-unknown');
    world.nowMs += 6_400_000;
    expect(await segue.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    expect(await segue.operation(operationIdOf('key'), world.call())).toMatchObject({
      kind: 'failed',
      problem: { name: 'upstream-unavailable' },
    });
  });

  it('is not sent again by a retry that cannot see whose project has the id by now', async () => {
    const { world, segue, id } = await withOldProject();
    const sent: string[] = [];
    world.onTheWay = async ({ method, path }, carryOut) => {
      // A proxy answers in place of the service.
      if (method === 'GET') return sent.length > 0 ? answer(404, Buffer.from('Not here')) : carryOut();
      sent.push(path);
      world.nowMs += 15_000;
      return silent();
    };
    const request = () => segue.delete({ id }, WHOLE, world.call('key'));
    expect((await problemOf(request())).name).toBe('outcome-unknown');
    const before = sent.length;
    world.nowMs += 3_600_000;
    expect((await problemOf(request())).name).toBe('outcome-unknown');
    expect(sent.length).toBe(before);
    world.onTheWay = (_, carryOut) => carryOut();
    expect(await request()).toMatchObject({ outcome: 'deleted' });
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
  const world = new LaggingUpstream();
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
  const lagging = (world: LaggingUpstream, untilMs: number): OnTheWay => {
    return async (exchange, carryOut) =>
      exchange.method === 'GET' && world.nowMs < untilMs ? answer(404, Buffer.alloc(0)) : carryOut();
  };

  it('is looked for again as long as the service may not find it yet', async () => {
    const { world, segue, id } = await withProject();
    world.onTheWay = lagging(world, world.nowMs + SETTLE_MS / 2);
    expect((await segue.get({ id }, undefined, world.call())).id).toBe(id);
  });

  it('is not said to be gone where the time of the request is over before that', async () => {
    const { world, segue, id } = await withProject();
    world.onTheWay = lagging(world, Number.POSITIVE_INFINITY);
    expect((await problemOf(segue.get({ id }, undefined, world.call()))).name).toBe('upstream-unavailable');
  });

  it('is gone where it is not found after that', async () => {
    const { world, segue, id } = await withProject();
    world.nowMs += SETTLE_MS;
    world.onTheWay = lagging(world, Number.POSITIVE_INFINITY);
    expect((await problemOf(segue.get({ id }, undefined, world.call()))).name).toBe('project-not-found');
  });
});

describe('a deletion of a project that was made just now', () => {
  const TASK = { kind: 'task', taskId: 't' } as const;
  const ABSENT = answer(404, Buffer.alloc(0));

  /** Until then the service answers from a replica without the project. @param seen how many readings see it before */
  function laggingAfter(world: LaggingUpstream, untilMs: number, seen = 1): OnTheWay {
    let readings = 0;
    return async ({ method }, carryOut) => {
      if (method === 'GET' && readings++ < seen) return carryOut();
      return world.nowMs < untilMs ? ABSENT : carryOut();
    };
  }

  it.each([
    ['a project', WHOLE, true],
    ['a project, without a key', WHOLE, false],
    ['a task', TASK, true],
    ['a task, without a key', TASK, false],
  ])('is unknown if a lagging replica knows neither: %s', async (_, scope, hasKey) => {
    const { world, segue, id } = await withProject();
    world.onTheWay = laggingAfter(world, Number.POSITIVE_INFINITY);
    const request = (key?: string) => segue.delete({ id }, scope, world.call(key));
    const { name, occurrence } = await problemOf(request(hasKey ? 'key' : undefined));
    expect(name).toBe('outcome-unknown');
    const state = () => segue.operation(occurrence.operationId ?? '', world.call());
    expect(await state()).toEqual({ kind: 'running' });
    expect(await segue.reconcile(() => true)).toMatchObject({ settled: 0, left: 1 });
    expect((await segue.list({ limit: 9 }, world.call())).projects).toMatchObject([{ id }]);

    world.onTheWay = (_exchange, carryOut) => carryOut();
    world.nowMs += SETTLE_MS;
    expect(await segue.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'upstream-unavailable' } });
    expect((await segue.get({ id }, 't', world.call())).segments).toBe(1);
    expect(await request('key')).toMatchObject({ outcome: 'deleted' });
  });

  it('is sent again, and done, once the replica knows the project', async () => {
    const { world, segue, id } = await withProject();
    let sent = 0;
    const lagging = laggingAfter(world, world.nowMs + 3_000);
    world.onTheWay = (exchange, carryOut) => {
      if (exchange.method === 'DELETE') sent++;
      return lagging(exchange, carryOut);
    };
    expect(await segue.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'deleted' });
    expect(sent).toBe(2);
    expect(world.truth.facts.get(id)?.deletedAtMs).toEqual(expect.any(Number));
  });

  it('is refused if the service has nothing to delete three times, and shows the project', async () => {
    const { world, segue, id } = await withProject();
    let sent = 0;
    world.onTheWay = async ({ method }, carryOut) => {
      if (method !== 'DELETE') return carryOut();
      sent++;
      return ABSENT;
    };
    const { name, occurrence } = await problemOf(segue.delete({ id }, WHOLE, world.call()));
    expect(name).toBe('outcome-unknown');
    expect(sent).toBe(3);
    world.nowMs += SETTLE_MS + 1_000;
    expect(await segue.reconcile(() => true)).toEqual({ settled: 1, givenUp: 0, left: 0, oldestMs: 0 });
    const state = await segue.operation(occurrence.operationId ?? '', world.call());
    expect(state).toMatchObject({ kind: 'failed', problem: { name: 'upstream-refused' } });
  });

  it('is unknown while a replica shows the project without its task, and not done', async () => {
    const { world, segue, id } = await withProject();
    let isSent = false;
    world.onTheWay = async (exchange, carryOut) => {
      if (exchange.method === 'DELETE') {
        isSent = true;
        return ABSENT;
      }
      const now = await carryOut();
      const project = asObject(JSON.parse(Buffer.from(now.body).toString()));
      return isSent ? { ...now, body: Buffer.from(JSON.stringify({ ...project, segments: [] })) } : now;
    };
    expect((await problemOf(segue.delete({ id }, TASK, world.call('key')))).name).toBe('outcome-unknown');
    world.onTheWay = (_, carryOut) => carryOut();
    expect(await segue.delete({ id }, TASK, world.call('key'))).toMatchObject({ outcome: 'deleted' });
    expect([...(world.truth.facts.get(id)?.tasks ?? [])]).toEqual([]);
  });

  it('has its receipt once the project is old enough, if somebody else deleted it', async () => {
    const { world, segue, id } = await withProject();
    let isSeen = false;
    world.onTheWay = async (_, carryOut) => {
      const now = isSeen ? ABSENT : await carryOut();
      isSeen = true;
      return now;
    };
    const request = () => segue.delete({ id }, WHOLE, world.call('key'));
    expect((await problemOf(request())).name).toBe('outcome-unknown');
    expect((await problemOf(request())).name).toBe('outcome-unknown');
    world.nowMs += SETTLE_MS;
    expect(await segue.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    expect(await request()).toMatchObject({ outcome: 'deleted', projectId: id });
    expect((await segue.list({ limit: 9 }, world.call())).projects).toEqual([]);
  });

  it.each(['GET', 'DELETE'] as const)('ends at once if another request deletes it before the %s', async (method) => {
    const { world, segue, id } = await withProject();
    world.onTheWay = first(method, async (_, carryOut) => {
      expect(await segue.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'deleted' });
      return carryOut();
    });
    const startedMs = world.nowMs;
    const { name, occurrence } = await problemOf(segue.delete({ id }, WHOLE, world.call('key')));
    expect([name, occurrence.deletedAtUtc]).toEqual(['project-not-found', expect.any(String)]);
    expect(world.nowMs - startedMs).toBeLessThan(1_000);
    expect(await segue.reconcile(() => true)).toEqual({ settled: 0, givenUp: 0, left: 0, oldestMs: 0 });
  });

  it.each([
    ['a project', WHOLE],
    ['a task', TASK],
  ])('is unknown too if the ledger cannot be read meanwhile: %s', async (_, scope) => {
    const { world, id } = await withProject();
    let isSent = false;
    const storage: Storage = {
      ...throughout(world.storage, (call) => call()),
      async read(key) {
        if (isSent && key.sort.startsWith('project/')) throw storeFailure(true);
        return world.storage.read(key);
      },
    };
    world.onTheWay = async ({ method }, carryOut) => {
      isSent ||= method === 'DELETE';
      if (method === 'DELETE') return answer(202, Buffer.alloc(0));
      return isSent ? ABSENT : carryOut();
    };
    const segue = world.segue(storage);
    expect(await segue.delete({ id }, scope, world.call('key'))).toMatchObject({ outcome: 'pending' });
    expect(await segue.operation(operationIdOf('key'), world.call())).toEqual({ kind: 'running' });
  });

  it('is done at once if the service says so, and three readings at different moments show nothing', async () => {
    const { world, segue, id } = await withProject();
    const readAtMs: number[] = [];
    world.onTheWay = ({ method }, carryOut) => {
      if (method === 'GET') readAtMs.push(world.nowMs);
      return carryOut();
    };
    expect(await segue.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'deleted' });
    const [, ...after] = readAtMs;
    expect(new Set(after).size).toBe(3);
  });

  it.each([
    ['two absences', [true, true, false]],
    ['three absences that are not in a row', [true, false, true, false, true, false]],
  ])('is pending after %s', async (_, absences) => {
    const { world, segue, id } = await withProject();
    let isSent = false;
    let readings = 0;
    world.onTheWay = async ({ method }, carryOut) => {
      isSent ||= method === 'DELETE';
      if (method === 'DELETE') return answer(204, Buffer.alloc(0));
      return isSent && absences[readings++] ? ABSENT : carryOut();
    };
    expect(await segue.delete({ id }, WHOLE, world.call())).toMatchObject({ outcome: 'pending' });
  });

  it('sends nothing, and is not told that there is no project, while no reading shows it', async () => {
    const { world, segue, id } = await withProject();
    const methods = new Set<string>();
    world.onTheWay = async ({ method }) => {
      methods.add(method);
      return ABSENT;
    };
    const { name, occurrence } = await problemOf(segue.delete({ id }, WHOLE, world.call()));
    expect([name, occurrence.retryAfterSeconds]).toEqual(['upstream-unavailable', expect.any(Number)]);
    expect([...methods]).toEqual(['GET']);
  });
});
