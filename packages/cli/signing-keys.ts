import type { Command } from 'commander';
import type { CliContext } from './deployment.ts';

const DROPPED =
  'Dropped. Within a minute, a new key signs all tokens, and all earlier tokens are refused. Clients sign in again with their API keys.\n';

/** Adds the commands `segue signing-keys rotate|drop`. */
export function addSigningKeyCommands(segue: Command, { print, progress, withDeployment }: CliContext): void {
  const signingKeys = segue.command('signing-keys');

  signingKeys
    .command('rotate')
    .description('add a key that signs new tokens; existing tokens stay valid')
    .action(async () => {
      const next = await withDeployment((deployment) => deployment.rotateSigningKeys());
      print({ next }, `${next} Tokens of earlier keys stay valid until they expire.\n`);
    });

  signingKeys
    .command('drop')
    .description('replace all keys, after one has leaked; all existing tokens end')
    .action(async () => {
      await progress.during('Replacing the signing keys', () =>
        withDeployment((deployment) => deployment.dropSigningKeys()),
      );
      print({ dropped: true }, DROPPED);
    });
}
