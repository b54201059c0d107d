import type { Command } from '../../service/commands/command.ts';

/** Tells what a mapping makes of a sample. */
export async function checkSample(
  _mapping: string,
  _sample: { readonly headers: Readonly<Record<string, string>>; readonly body: unknown },
): Promise<Command | undefined> {
  return undefined;
}
