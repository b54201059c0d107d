import type { Command } from 'commander';
import { utc } from '../lib/contract/date.ts';
import type { DeliveryState } from '../lib/webhooks/delivery-records.ts';
import { LetterRefusal, numbered } from './dead-letters.ts';
import { stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';

/** `segue source delivery`, under `segue source`. */
export function addSourceDeliveryCommand(source: Command, segue: Command, surroundings: Surroundings): void {
  source
    .command('delivery')
    .description('show the result of a message as JSON: open, done with the ids of its projects, dead or dropped')
    .argument('<name>')
    .argument('<delivery id>', 'as the answer to its sender has it')
    .action(async (name: string, id: string) => {
      const state = await withPlace(surroundings, stackIn(segue), ({ letters }) =>
        letters.delivery({ source: name, id }),
      );
      if (!state) throw new LetterRefusal('the source has no delivery with this id, or it ended more than 14 days ago');
      surroundings.out(`${JSON.stringify({ source: name, id, ...resultOf(state) }, undefined, 2)}\n`);
    });
}

/** The printed lines of a delivery: ids, times and the result. */
export function resultOf(state: DeliveryState) {
  const { kind, companyId, receivedAtMs, attempts } = state;
  const common = { state: kind, companyId, receivedAtUtc: utc(receivedAtMs), attempts };
  switch (kind) {
    case 'open': {
      const { failure, commands, dueMs } = state;
      return { ...common, nextAttemptAtUtc: utc(dueMs), ...failure, ...(commands && { commands: numbered(commands) }) };
    }
    case 'done':
      return { ...common, endedAtUtc: utc(state.endedAtMs), result: state.result };
    case 'dead': {
      const { failure, commands, endedAtMs } = state;
      return { ...common, endedAtUtc: utc(endedAtMs), ...failure, ...(commands && { commands: numbered(commands) }) };
    }
    case 'dropped':
      return { ...common, endedAtUtc: utc(state.endedAtMs) };
  }
}
