import { countOf } from '../../lib/contract/count.ts';
import type { CheckedProject } from '../../lib/contract/project.ts';
import type { ProjectRef } from '../../lib/service/port.ts';
import type { PutPreview, PutResult } from '../client/types.ts';
import { requireProjectId } from './api-client.ts';
import {
  type FileTools,
  formatAutomatic,
  type ProjectFileOptions,
  projectIn,
  readProjectFile,
  withFaults,
} from './create-project.ts';
import { UsageError } from './io.ts';
import { formatEffect } from './put-effect.ts';

export interface PutOptions extends ProjectFileOptions {
  readonly project?: string;
  readonly task?: string;
  readonly revision?: number;
  readonly plan?: true;
  readonly ifPlan?: string;
  readonly idempotencyKey?: string;
  readonly url?: string;
}

interface PutTools extends FileTools {
  /** Returns the command line that does only what a plan shows. */
  readonly bound: (plan: string) => string;
}

/** Puts the project in a file, or only plans it. @throws {CliError} that shows the faults of the project */
export async function putFromFile(
  path: string,
  options: PutOptions,
  { client, say, print, bound }: PutTools,
): Promise<void> {
  const { strict, task: taskId, revision, idempotencyKey, ifPlan: plan } = options;
  const { read, formatFaults } = await readProjectFile(path, options, 'changed');
  await withFaults({ formatFaults, done: 'changed' }, async () => {
    const project = projectIn(read(), { isPut: true });
    const target = targetOf(project, options);
    say(`Sending ${countOf(project.segments.length, 'segment')}`);
    if (options.plan) {
      const what = { strict, taskId, revision };
      const planned = await ('id' in target
        ? client.planPut(target.id, project, what)
        : client.planPutByCustomId(target.customId, project, what));
      return print(planned, formatPlan(planned, bound));
    }
    const how = { strict, taskId, revision, plan, idempotencyKey };
    const result = await ('id' in target
      ? client.putProject(target.id, project, how)
      : client.putProjectByCustomId(target.customId, project, how));
    return print(result, formatResult(result));
  });
}

/** Returns the project that the options or the file name. @throws {UsageError} if neither names one */
function targetOf({ customId }: CheckedProject, { project }: PutOptions): ProjectRef {
  if (project !== undefined) return { id: requireProjectId(project) };
  if (customId !== undefined) return { customId };
  throw new UsageError(
    'a put needs a project: give --project, or a customId: in the project of a JSON file, or with --custom-id',
  );
}

function formatPlan(planned: PutPreview, bound: PutTools['bound']): string {
  const effect = `The put ${formatEffect(planned)}.\n`;
  if (planned.outcome === 'outdated') return effect;
  const quoted = formatAutomatic(planned.quote.automaticTranslation);
  return `${effect}${quoted}To do exactly that, run: ${bound(planned.plan)}\n`;
}

function formatResult(result: PutResult): string {
  if (result.outcome === 'outdated') return `The put ${formatEffect(result)}.\n`;
  const { projectId, customId } = result;
  const named = customId === null ? '' : ` (custom id ${customId})`;
  return `Project ${projectId}${named}: the put ${formatEffect(result)}.\n`;
}
