import type { Command } from 'commander';
import type { CliContext } from './deployment.ts';

/** `segue signing-keys rotate` */
export function addSigningKeyCommands(segue: Command, { out, withDeployment }: CliContext): void {
  segue
    .command('signing-keys')
    .description('manage the keys that sign tokens')
    .command('rotate')
    .description('add a key that signs new tokens; existing tokens stay valid')
    .action(async () => {
      const next = await withDeployment((deployment) => deployment.rotateSigningKeys());
      out(`${next} Tokens of earlier keys stay valid until they expire.\n`);
    });
}
