import type { Command } from 'commander';
import { countOf } from '../../lib/contract/count.ts';
import type { Stray } from '../../lib/upstream/audit.ts';
import type { CliContext } from './deployment.ts';
import { CliError } from './io.ts';

/** Adds the command `segue audit`. */
export function addAuditCommand(segue: Command, { print, progress, withDeployment }: CliContext): void {
  segue
    .command('audit')
    .option('--upstream <base url>', 'on this machine: the base URL of the upstream service, as for npm start')
    .action(async ({ upstream }: { upstream?: string }) => {
      const { checked, unowned, missing } = await progress.during('Comparing projects', () =>
        withDeployment((deployment) => deployment.audit(upstream)),
      );
      const text = `${lines('unowned', unowned)}${lines('missing', missing)}Compared ${countOf(checked, 'project')}.\n`;
      print({ checked, unowned, missing }, text);
      if (unowned.length + missing.length === 0) return;
      throw new CliError(
        `${countOf(unowned.length, 'project')} at the service without an owner, ${countOf(missing.length, 'owned project')} missing there`,
      );
    });
}

function lines(finding: string, strays: readonly Stray[]): string {
  return strays.map(({ companyId, projectId }) => `${finding}  ${companyId}  ${projectId}\n`).join('');
}
