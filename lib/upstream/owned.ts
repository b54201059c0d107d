import { Problem } from '../contract/problem.ts';
import type { Call, GivenProject } from '../service/port.ts';
import type { Foundation } from './foundation.ts';
import { asOwned, type Entered } from './ledger.ts';
import { patience } from './patience.ts';
import { getProject } from './reading.ts';

/**
 * Reads a project from the service as its owner knows it. One that was created just now may not be found at once: then
 * it is looked for again.
 * @throws {Problem} `project-not-found`, `task-not-found`
 */
export async function readOwned(
  { client, now, sleep, settleMs }: Foundation,
  { entry }: Entered,
  taskId: string | undefined,
  call: Call,
): Promise<GivenProject> {
  const { pause } = patience(sleep, call.deadline);
  for (;;) {
    try {
      return asOwned(await getProject(client, entry, taskId, call), entry.customId);
    } catch (error) {
      const isMissing = error instanceof Problem && error.name === 'project-not-found';
      if (!isMissing || now() >= entry.enteredAtMs + settleMs || !(await pause())) throw error;
    }
  }
}
