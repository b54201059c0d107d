import { Problem } from '../lib/contract/problem.ts';
import type { Command } from '../lib/service/commands/command.ts';
import { checkSample } from '../lib/webhooks/mapping/check.ts';
import { linesOf } from './faults.ts';
import type { Surroundings } from './program.ts';
import { readSample } from './sample.ts';

/**
 * What a mapping makes of the sample in a file, `undefined` where it asks for nothing. Every fault goes to where failures
 * go, before what was thrown is told.
 * @throws {SampleUnusable}
 * @throws {Problem} as `checkSample`
 */
export async function tried(
  mapping: string,
  sample: string,
  { err }: Pick<Surroundings, 'err'>,
): Promise<Command | undefined> {
  try {
    return await checkSample(mapping, await readSample(sample), Date.now());
  } catch (error) {
    if (error instanceof Problem) err(linesOf(error.occurrence.errors ?? []));
    throw error;
  }
}

/** The same for people. */
export function madeOf(command: Command | undefined): string {
  if (command === undefined) return 'Of its sample the mapping makes nothing: it asks for nothing.';
  return `Of its sample the mapping makes a ${'create' in command ? 'creation' : 'deletion'}.`;
}
