import { expect, test } from 'vitest';
import { operationIdOf } from '../../lib/service/operation-id.ts';
import type { ListedStore } from '../../lib/storage/port.ts';
import { ServiceBehind } from './service-behind.ts';

test('a retry of a deletion that ends while its key is looked up has the receipt too', async () => {
  const behind = new ServiceBehind();
  const { storage } = behind.world;
  const first = behind.segue();
  const { id } = await first.create(behind.world.checked(), behind.world.call());
  const remove = (segue = first) => segue.delete({ id }, { kind: 'project' }, behind.world.once('k'));
  let isMeanwhile = true;
  const slow: ListedStore = {
    commit: (batch) => storage.commit(batch),
    list: (partition, range) => storage.list(partition, range),
    async read(key) {
      const item = await storage.read(key);
      if (key.sort === `request/${operationIdOf('k')}` && isMeanwhile) {
        isMeanwhile = false;
        await remove();
      }
      return item;
    },
  };
  const receipt = await remove(behind.segue({ storage: slow }));
  expect(receipt).toMatchObject({ outcome: 'deleted', projectId: id });
  expect(await remove()).toEqual(receipt);
});
