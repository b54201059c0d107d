import type { SegueError } from '../client/index.ts';
import { When } from './facts.tsx';

const DAY_MS = 86_400_000;

/** Says until when a company may create no more projects, and what to do. */
export function QuotaAdvice({ retryAfterSeconds }: Pick<SegueError, 'retryAfterSeconds'>) {
  return (
    <p>
      You can create projects again{' '}
      {retryAfterSeconds === undefined ? (
        'tomorrow'
      ) : (
        <>
          from <When at={nextDay(retryAfterSeconds)} />
        </>
      )}
      . Then send the same file again. To create them sooner, ask the operator of Segue for a higher limit:{' '}
      <a href="#/limits">Limits</a>.
    </p>
  );
}

/** Returns the beginning of the next day in UTC. The clock of the browser may be some hours wrong. */
function nextDay(retryAfterSeconds: number): string {
  const atMs = Math.round((Date.now() + retryAfterSeconds * 1_000) / DAY_MS) * DAY_MS;
  return new Date(atMs).toISOString();
}
