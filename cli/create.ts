import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { SegueError } from '../lib/client/error.ts';
import type { Project } from '../lib/client/types.ts';
import { checkProject } from '../lib/contract/check.ts';
import { utc } from '../lib/contract/date.ts';
import { canonicalJson, parseJson } from '../lib/contract/json.ts';
import { fieldsOf } from '../lib/contract/pointer.ts';
import { Problem } from '../lib/contract/problem.ts';
import type { CheckedProject } from '../lib/contract/project.ts';
import { addUrlOption, withApi } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import { formatProblemFaults } from './faults-in-file.ts';
import { CliError } from './io.ts';
import { readBytes } from './translation-file.ts';

interface Options {
  readonly idempotencyKey?: string;
  readonly strict?: true;
  readonly url?: string;
  readonly validateOnly?: true;
}

/** Adds the command `segue projects create`. */
export function addCreateCommand(projects: Command, context: CliContext): void {
  const command = projects
    .command('create')
    .description(
      'create the project in a file, which has the JSON of POST /segments/projects; the same file creates once',
    )
    .argument('<file>', 'the file; without startDateUtc, the project starts now')
    .option('--validate-only', 'report every fault, and create nothing')
    .option('--strict', 'refuse the project if the translation engine lacks one of its languages')
    .option('--idempotency-key <key>', 'the key of the request; default: made from the content of the file');
  addUrlOption(command).action((path: string, { idempotencyKey, strict, url, validateOnly }: Options) =>
    withApi(context, url, async (client) => {
      const file = await readBytes(path);
      await withFaults(path, file, async () => {
        const value = parseJson(file, { name: 'file' });
        const project = projectIn(value);
        if (validateOnly) {
          const valid = await client.validateProject(project, { strict });
          return context.print(
            valid,
            `The project is valid: ${segmentsOf(valid.segments)}, ${valid.characters} characters.\n`,
          );
        }
        const created = await client.createProject(project, { strict, idempotencyKey: idempotencyKey ?? keyOf(value) });
        return context.print(created, formatCreated(created, project));
      });
    }),
  );
}

/** Checks a project as Segue does, so that a faulty file is not sent. Segue checks what depends on its settings. */
function projectIn(value: unknown): CheckedProject {
  const nowMs = Date.now();
  const fields = Array.isArray(value) ? undefined : fieldsOf(value);
  const isStamped = fields !== undefined && (fields['startDateUtc'] ?? null) === null;
  return checkProject(isStamped ? { ...fields, startDateUtc: utc(nowMs) } : value, {
    nowMs,
    toleranceMs: Number.POSITIVE_INFINITY,
    allowsLoopbackEvents: true,
    isStamped,
  });
}

/** Returns the idempotency key of a file. Formatting and the order of fields do not count. */
function keyOf(value: unknown): string {
  return `file-${createHash('sha256').update(canonicalJson(value)).digest('base64url')}`;
}

function formatCreated({ id, customId }: Project, { segments, targetLanguages }: CheckedProject): string {
  const named = customId === undefined ? '' : ` (custom id ${customId})`;
  const languages = targetLanguages.map(
    ({ targetLanguageCode, targetLanguageId }) => targetLanguageCode ?? targetLanguageId,
  );
  return `Project ${id}${named}: ${segmentsOf(segments.length)} into ${languages.join(', ')}.\n`;
}

function segmentsOf(count: number): string {
  return count === 1 ? '1 segment' : `${count} segments`;
}

/** Does the work with a file. @throws {CliError} that shows the faults of the file in it */
async function withFaults(path: string, file: Uint8Array, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const found =
      error instanceof Problem ? error.occurrence.errors : error instanceof SegueError ? error.errors : undefined;
    if (found === undefined || found.length === 0) throw error;
    const faults = formatProblemFaults({ path, text: new TextDecoder().decode(file) }, found, { whole: 'the project' });
    const count = found.length === 1 ? 'a fault' : `${found.length} faults`;
    throw new CliError(`the project has ${count}: nothing was created`, { exitCode: 2, cause: error, faults });
  }
}
