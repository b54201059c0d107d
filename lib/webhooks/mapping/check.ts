import { checkProject } from '../../contract/check.ts';
import { LIMITS } from '../../contract/limits.ts';
import { type Command, readCommand } from '../../service/commands/command.ts';
import { stamped } from '../../service/commands/create.ts';
import { type Mapper, type MappingInput, mapper } from './mapper.ts';

/**
 * What a message asks for.
 * @param nowMs what the mapping takes for now, in milliseconds since 1970
 * @returns `undefined` where it asks for nothing
 * @throws {Problem} `mapping-failed`; `invalid-parameter` where the result is no command; `unavailable`
 */
export async function commandOf(
  mapping: string,
  message: MappingInput,
  { apply }: Pick<Mapper, 'apply'>,
  nowMs: number,
): Promise<Command | undefined> {
  const result = await apply(mapping, message, nowMs);
  return result === undefined || result === null ? undefined : readCommand(result);
}

/**
 * What a sample asks for, its project checked like one over HTTP; nothing is done.
 * @returns `undefined` where it asks for nothing
 * @throws {Problem} as `commandOf`; `invalid-project`, `team-without-translator` with every fault
 */
export async function checkSample(mapping: string, sample: MappingInput, nowMs: number): Promise<Command | undefined> {
  const own = mapper({ quotes: true });
  try {
    await own.check(mapping);
    const command = await commandOf(mapping, sample, own, nowMs);
    const clock = { nowMs, toleranceMs: LIMITS.startDateToleranceMs };
    if (command && 'create' in command) checkProject(stamped(command.create, nowMs), clock);
    return command;
  } finally {
    own.close();
  }
}
