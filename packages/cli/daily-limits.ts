import { type Command, InvalidArgumentError } from 'commander';
import type { DailyLimits } from '../../lib/credentials/company-record.ts';
import type { CliContext } from './deployment.ts';

interface LimitsOptions {
  readonly projectsADay?: number | null;
  readonly automaticCharactersADay?: number | null;
}

const TAKES_EFFECT = 'Workflows and webhooks are judged by this at once, HTTP requests within 60 seconds.\n';

/** Adds the command `segue company limits`. */
export function addDailyLimitsCommand(company: Command, { print, withDeployment }: CliContext): void {
  company
    .command('limits')
    .description('show or change what a company may do in a day (UTC); without options, show it')
    .argument('<company id>')
    .option('--projects-a-day <number>', 'how many projects it may create; none removes the limit', parseLimit)
    .option(
      '--automatic-characters-a-day <number>',
      'how many characters an engine may translate for it; none removes the limit',
      parseLimit,
    )
    .action(async (companyId: string, { projectsADay, automaticCharactersADay }: LimitsOptions) => {
      const isChange = projectsADay !== undefined || automaticCharactersADay !== undefined;
      const { limits, use } = await withDeployment(async (deployment) => {
        const { companies } = deployment;
        const change = { projects: projectsADay, automaticCharacters: automaticCharactersADay };
        const limits = await (isChange ? companies.setLimits(companyId, change) : companies.limits(companyId));
        if (automaticCharactersADay !== undefined) await deployment.wakeTranslation(companyId);
        return { limits, use: await deployment.dailyUse(companyId) };
      });
      const shown = (name: keyof DailyLimits) => (limits[name] === undefined ? null : use[name]);
      print(
        {
          companyId,
          projectsADay: limits.projects ?? null,
          projectsToday: shown('projects'),
          automaticCharactersADay: limits.automaticCharacters ?? null,
          automaticCharactersToday: shown('automaticCharacters'),
        },
        [
          formatLimit('Projects', limits.projects, use.projects),
          formatLimit('Automatic characters', limits.automaticCharacters, use.automaticCharacters),
          isChange ? TAKES_EFFECT : '',
        ].join(''),
      );
    });
}

function formatLimit(what: string, limit: number | undefined, used: number): string {
  return `${what} a day: ${limit === undefined ? 'no limit' : `${limit}, of which ${used} are used today`}.\n`;
}

/** Parses a limit, or `none`. */
function parseLimit(text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number up to 999999999999, or none.');
}
