import { type Command, InvalidArgumentError, Option } from 'commander';
import { NO_SUCH_COMPANY } from '../../lib/contract/segue-command.ts';
import type { CliContext, CompanyPlan } from './deployment.ts';
import { CliError } from './io.ts';

interface PlanOptions {
  readonly rate?: number;
  readonly burst?: number;
  readonly default?: true;
}

const NO_PLAN = 'the company has no plan, so its requests are refused: give it one with --default or --rate';
const TAKES_EFFECT = 'API Gateway applies this within a minute.';
const WHILE_MOVING = 'Until then, some requests of the company may get 401. Its clients can repeat them.';

/** Adds the command `segue company plan`. */
export function addPlanCommand(company: Command, { print, withDeployment }: CliContext): void {
  const plan = company
    .command('plan')
    .description('show or change how many requests a company may send to a stack; without options, show it')
    .argument('<company id>')
    .option('--rate <number>', 'requests a second', parseLimit)
    .option('--burst <number>', 'requests at once after a pause; default: twice the rate', parseLimit)
    .addOption(new Option('--default', 'give the company the plan of all companies again').conflicts(['rate', 'burst']))
    .action(async (companyId: string, options: PlanOptions) => {
      const { rate, burst } = options;
      if (rate === undefined && burst !== undefined) plan.error('error: --burst needs --rate <number>');
      const { before, after } = await withDeployment(async ({ plans, isCompany }) => {
        if (!(await isCompany(companyId))) throw new CliError(NO_SUCH_COMPANY);
        const before = await plans.read(companyId);
        const change = async () => {
          if (options.default) return plans.reset(companyId);
          return rate === undefined ? before : plans.change(companyId, { perSecond: rate, burst: burst ?? 2 * rate });
        };
        return { before, after: await change() };
      });
      if (!after) throw new CliError(NO_PLAN);
      const { isDefault, ...limits } = after;
      const text = [formatPlan(after), ...nextOf(before, after)].join('\n');
      print({ companyId, plan: isDefault ? 'default' : 'own', ...limits }, `${text}\n`);
    });
}

/** Says when a change takes effect; nothing if there is no change. */
function nextOf(before: CompanyPlan | undefined, after: CompanyPlan): string[] {
  if (before?.isDefault === after.isDefault) {
    return before.perSecond === after.perSecond && before.burst === after.burst ? [] : [TAKES_EFFECT];
  }
  return before ? [`${TAKES_EFFECT} ${WHILE_MOVING}`] : [TAKES_EFFECT];
}

function formatPlan({ isDefault, perSecond, burst }: CompanyPlan): string {
  const whose = isDefault ? 'the plan of all companies' : 'a plan of its own';
  return `${perSecond} requests a second, ${burst} at once: ${whose}.`;
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number from 1 to 99999.');
}
