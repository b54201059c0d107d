import type { Command } from 'commander';
import { stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';

/** `segue signing-keys rotate` */
export function addSigningKeyCommands(segue: Command, surroundings: Surroundings): void {
  segue
    .command('signing-keys')
    .description('the keys that sign tokens')
    .command('rotate')
    .description('add a key that signs new tokens; tokens that are live stay good')
    .action(async () => {
      const told = await withPlace(surroundings, stackIn(segue), (place) => place.rotateSigningKeys());
      surroundings.out(`${told} Tokens of the keys before stay good until they expire.\n`);
    });
}
