import { checkDates } from '../../contract/check.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Command } from '../../service/command.ts';
import { readProject } from '../../service/command.ts';
import { requireScopes, type SourceScope } from '../scopes.ts';
import { type Commands, eachCommand, readCommands } from './commands.ts';
import { type Mapper, type MappingInput, mapper } from './mapper.ts';

/**
 * The commands that a message asks for.
 * @param nowMs what the mapping takes for now, in milliseconds since 1970
 * @throws {Problem} `mapping-failed`; `invalid-parameter` if the result is not a command; `unavailable`
 */
export async function commandsOf(
  mapping: string,
  message: MappingInput,
  { apply }: Pick<Mapper, 'apply'>,
  nowMs: number,
): Promise<Commands> {
  return readCommands(await apply(mapping, message, nowMs));
}

/**
 * The commands that a sample asks for, their projects checked like those over HTTP; nothing is done.
 * @param scopes those of the source; both unless given
 * @throws {Problem} as `commandsOf`; `scope-missing`; `invalid-project`, `team-without-translator` with every fault
 */
export async function checkSample(
  mapping: string,
  sample: MappingInput,
  nowMs: number,
  scopes?: readonly SourceScope[],
): Promise<Commands> {
  const own = mapper({ quotes: true });
  const { startDateToleranceMs } = LIMITS;
  const check = (command: Command) => {
    if (!('create' in command)) return;
    const project = readProject({ startDateToleranceMs }, command.create, nowMs);
    checkDates(project, { nowMs, toleranceMs: startDateToleranceMs });
  };
  try {
    await own.check(mapping);
    const made = await commandsOf(mapping, sample, own, nowMs);
    requireScopes({ scopes }, made.commands);
    if (made.isList) eachCommand(made.commands, check);
    else made.commands.forEach(check);
    return made;
  } finally {
    own.close();
  }
}
