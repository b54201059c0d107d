import { Problem } from '../lib/contract/problem.ts';
import { checkSample } from '../lib/webhooks/mapping/check-sample.ts';
import type { MappedCommands } from '../lib/webhooks/mapping/commands.ts';
import type { SourceScope } from '../lib/webhooks/sources.ts';
import { linesOf } from './faults.ts';
import type { Surroundings } from './program.ts';
import { readSample } from './sample.ts';

/**
 * The commands that a mapping makes of the sample in a file. Every fault goes to where failures go, before what was
 * thrown is told.
 * @throws {SampleUnusable}
 * @throws {Problem} as `checkSample`
 */
export async function tried(
  mapping: string,
  sample: string,
  { err }: Pick<Surroundings, 'err'>,
  scopes?: readonly SourceScope[],
): Promise<MappedCommands> {
  try {
    return await checkSample(mapping, await readSample(sample), Date.now(), scopes);
  } catch (error) {
    if (error instanceof Problem) err(linesOf(error.occurrence.errors ?? []));
    throw error;
  }
}

/** The same for people. */
export function madeOf({ commands }: MappedCommands): string {
  if (commands.length === 0) return 'Of its sample the mapping makes nothing: it asks for nothing.';
  const creations = commands.filter((command) => 'create' in command).length;
  const counted = [counts(creations, 'creation'), counts(commands.length - creations, 'deletion')].filter(Boolean);
  return `Of its sample the mapping makes ${counted.join(' and ')}.`;
}

function counts(count: number, name: string): string {
  if (count === 0) return '';
  return count === 1 ? `a ${name}` : `${count} ${name}s`;
}
