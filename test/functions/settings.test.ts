import { expect, it } from 'vitest';
import { switchedOff } from '../../functions/compose/environment.ts';

it('reads what a stack does not have, and refuses a name that is no part', () => {
  expect(switchedOff({})).toEqual([]);
  expect(switchedOff({ SEGUE_SWITCHED_OFF: '' })).toEqual([]);
  expect(switchedOff({ SEGUE_SWITCHED_OFF: 'webhooks,events' })).toEqual(['webhooks', 'events']);
  expect(() => switchedOff({ SEGUE_SWITCHED_OFF: 'webhooks,feed' })).toThrow(
    'SEGUE_SWITCHED_OFF must be names with commas between them, of webhooks, bulk, events',
  );
});
