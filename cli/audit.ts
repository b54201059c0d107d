import type { Command } from 'commander';
import type { Audited, Stray } from '../lib/upstream/audit.ts';
import { stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';

/** An audit found something. The message is for the person who asked. */
export class StraysFound extends Error {
  override readonly name = 'StraysFound';
}

/** `segue audit` */
export function addAuditCommand(segue: Command, surroundings: Surroundings): void {
  segue
    .command('audit')
    .description('compare the projects at the service behind with those that companies own; it changes nothing')
    .option('--upstream <base url>', 'the service behind the Segue of this machine, as npm start is given it')
    .action(async ({ upstream }: { upstream?: string }) => {
      const found = await withPlace(surroundings, stackIn(segue), (place) => place.audit(upstream));
      const { checked, unowned, missing } = found;
      surroundings.out(`${lines(found)}Compared ${checked} projects.\n`);
      if (unowned.length + missing.length === 0) return;
      throw new StraysFound(
        `of the projects ${unowned.length} are at the service without an owner, ${missing.length} have an owner and are not there`,
      );
    });
}

/** A line a project: what is wrong with it, company, project id. */
function lines({ unowned, missing }: Audited): string {
  const shown = (what: string, strays: readonly Stray[]) =>
    strays.map(({ companyId, projectId }) => `${what}  ${companyId}  ${projectId}\n`).join('');
  return shown('unowned', unowned) + shown('missing', missing);
}
