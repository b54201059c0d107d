import type { SegueError } from '../client/index.ts';
import { date } from './values.ts';

const DAY_MS = 86_400_000;

/** Says until when a company may create no more projects, and what to do. */
export function QuotaAdvice({ retryAfterSeconds }: Pick<SegueError, 'retryAfterSeconds'>) {
  return (
    <p>
      You can create projects again{' '}
      {retryAfterSeconds === undefined ? 'tomorrow' : <>from {nextDay(retryAfterSeconds)}</>}. Then send the same file
      again. To create them sooner, ask the operator of Segue for a higher limit: <a href="#/limits">Limits of a day</a>
      .
    </p>
  );
}

/** Returns the beginning of the next day as text. The clock of the browser may be some hours wrong. */
function nextDay(retryAfterSeconds: number): string {
  const atMs = Math.round((Date.now() + retryAfterSeconds * 1_000) / DAY_MS) * DAY_MS;
  return date(new Date(atMs).toISOString());
}
