import { checkDates } from '../../contract/check.ts';
import { LIMITS } from '../../contract/limits.ts';
import { type Command, readProject } from '../../service/command.ts';
import { requireScopes, type SourceScope } from '../sources.ts';
import { eachCommand, type MappedCommands, readCommands } from './commands.ts';
import { type MappingInput, mapper } from './mapper.ts';

/**
 * Maps a sample message, and checks the projects of its commands as over HTTP. Nothing is done.
 * @param nowMs the time that the mapping sees, in milliseconds since 1970
 * @param scopes of the source; both unless given
 * @throws {Problem} `mapping-failed`, `unavailable`; `invalid-parameter` if the result is not a command; `scope-missing`;
 *   `invalid-project`, `team-without-translator` with every fault
 */
export async function checkSample(
  mapping: string,
  sample: MappingInput,
  nowMs: number,
  scopes?: readonly SourceScope[],
): Promise<MappedCommands> {
  const own = mapper({ quotes: true });
  const { startDateToleranceMs } = LIMITS;
  const check = (command: Command) => {
    if (!('create' in command)) return;
    const project = readProject({ startDateToleranceMs }, command.create, nowMs);
    checkDates(project, { nowMs, toleranceMs: startDateToleranceMs });
  };
  try {
    await own.check(mapping);
    const made = readCommands(await own.apply(mapping, sample, nowMs));
    requireScopes({ scopes }, made.commands);
    if (made.isList) eachCommand(made.commands, check);
    else made.commands.forEach(check);
    return made;
  } finally {
    own.close();
  }
}
