import { SEGUE } from '../../lib/contract/segue-command.ts';
import type { DailyAllowance } from '../client/index.ts';
import { Bar, Notice } from './design/status.tsx';
import { ForOperators, When } from './facts.tsx';
import { useLoaded } from './load.ts';
import { Heading, Show } from './page.tsx';
import { useSession } from './session.ts';
import { count } from './values.ts';

/** What the company may do in a day, and what it has used. Only the operator changes this, with the command line. */
export function LimitsPage() {
  const { client, companyId, administration } = useSession();
  const loaded = useLoaded(() => client.getDailyLimits(), []);
  const stack = administration ? '' : ' --stack <name>';
  return (
    <div class="narrow">
      <Heading title="Limits" />
      <Show loaded={loaded}>{(allowance) => <Allowance {...allowance} />}</Show>
      <p class="quiet">Need more? Ask the operator of Segue.</p>
      <ForOperators>
        <p>
          Use this command. <code>none</code> in place of a number removes a limit.
        </p>
        <p>
          <code class="command">
            {SEGUE} company limits {companyId} --projects-a-day 100 --automatic-characters-a-day 500000{stack}
          </code>
        </p>
      </ForOperators>
    </div>
  );
}

function Allowance(allowance: DailyAllowance) {
  const { projectsADay, projectsToday, automaticCharactersADay, automaticCharactersToday, nextDayAtUtc } = allowance;
  return (
    <>
      <dl class="facts">
        <dt>Created projects</dt>
        <dd>
          <Use used={projectsToday} limit={projectsADay} />
        </dd>
        <dt>Automatic translation</dt>
        <dd>
          <Use used={automaticCharactersToday} limit={automaticCharactersADay} unit=" characters" />
        </dd>
        <dt>Next reset</dt>
        <dd>
          <When at={nextDayAtUtc} />
        </dd>
      </dl>
      {isUsedUp(projectsToday, projectsADay) && (
        <Notice kind="warning">Segue creates no more projects for the company until the next day.</Notice>
      )}
      {isUsedUp(automaticCharactersToday, automaticCharactersADay) && (
        <Notice kind="warning">
          Languages that still need automatic translation wait until the next day, and then go on.
        </Notice>
      )}
    </>
  );
}

interface UseProps {
  readonly used: number | null;
  readonly limit: number | null;
  readonly unit?: string;
}

/** Today’s use of a limit, with a bar. */
function Use({ used, limit, unit = '' }: UseProps) {
  if (used === null || limit === null) return <>No limit</>;
  return (
    <Bar full="warning" max={Math.max(limit, 1)} value={limit === 0 ? 1 : Math.min(used, limit)}>
      {count(used)} of {count(limit)}
      {unit} today
    </Bar>
  );
}

function isUsedUp(used: number | null, limit: number | null): boolean {
  return used !== null && limit !== null && used >= limit;
}
