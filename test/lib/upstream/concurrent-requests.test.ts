import { expect, it } from 'vitest';
import { type CallContext, operationIdOf } from '../../../lib/service/port.ts';
import { storeWith } from '../../faults/faulty.ts';
import type { UpstreamService } from '../../support/world.ts';
import { HostedUpstream } from './world.ts';

it('a retry of a deletion that ends while its key is looked up has the receipt too', async () => {
  const behind = new HostedUpstream();
  const { storage } = behind.world;
  const first = behind.segue();
  const { id } = await first.create(behind.world.checked(), behind.world.call());
  const remove = (segue = first) => segue.delete({ id }, { kind: 'project' }, behind.world.once('k'));
  let isMeanwhile = true;
  const slow = storeWith(storage, {
    async read(key) {
      const item = await storage.read(key);
      if (key.sort === `request/${operationIdOf('k')}` && isMeanwhile) {
        isMeanwhile = false;
        await remove();
      }
      return item;
    },
  });
  const receipt = await remove(behind.segue({ storage: slow }));
  expect(receipt).toMatchObject({ outcome: 'deleted', projectId: id });
  expect(await remove()).toEqual(receipt);
});

it.each<[request: string, ask: (segue: UpstreamService, id: number, call: CallContext) => Promise<unknown>]>([
  ['deletion', (segue, id, call) => segue.delete({ id }, { kind: 'project' }, call)],
  ['reading', (segue, id, call) => segue.get({ id }, undefined, call)],
])('a %s of a project does not find the next project with its custom id', async (_, ask) => {
  const behind = new HostedUpstream();
  const { world } = behind;
  const segue = behind.segue();
  const create = () => segue.create(world.checked({ customId: 'order-1' }), world.call());
  const { id } = await create();
  world.settle();
  let next: number | undefined;
  behind.next('read', async (reach) => {
    await segue.delete({ id }, { kind: 'project' }, world.call());
    ({ id: next } = await create());
    return reach();
  });
  await expect(ask(segue, id, world.call())).rejects.toMatchObject({ name: 'project-not-found' });
  expect(next).not.toBe(id);
  expect(await segue.get({ customId: 'order-1' }, undefined, world.call())).toMatchObject({ id: next });
});
