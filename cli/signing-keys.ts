import type { Command } from 'commander';
import { rotateSigningKeysInFolder } from '../lib/credentials/signing-keys-file.ts';
import type { Surroundings } from './program.ts';
import { dataFolder } from './store.ts';

/** `segue signing-keys rotate` */
export function addSigningKeyCommands(segue: Command, surroundings: Surroundings): void {
  segue
    .command('signing-keys')
    .description('the keys that sign tokens')
    .command('rotate')
    .description('add a key that signs new tokens; tokens that are live stay good')
    .action(() => {
      const signsFromUtc = rotateSigningKeysInFolder(dataFolder(surroundings), Date.now());
      surroundings.out(
        `A new key signs from ${signsFromUtc} on. Tokens of the keys before stay good until they expire.\n`,
      );
    });
}
