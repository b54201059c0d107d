import type { Quote } from '../contract/answers.ts';
import { checkDates } from '../contract/check-project.ts';
import { LIMITS } from '../contract/limits.ts';
import type { CheckedProject } from '../contract/project.ts';
import { atOnce } from '../contract/steps.ts';
import { type Command, type PreviewedPut, type Put, projectIn, projectSteps } from '../service/command.ts';
import { creationCounts } from '../service/creation-counts.ts';
import type { OutdatedPut } from '../service/put.ts';
import { quoteOf } from '../service/quote.ts';
import type { DeadState, OpenState } from './delivery-records.ts';
import { eachCommand, type MappedCommands, readCommands } from './mapping/commands.ts';
import { type MappingInput, mapper } from './mapping/mapper.ts';
import { withMappingHints } from './mapping/mapping-hints.ts';
import { recordsOf } from './run-commands.ts';
import { requireScopes, type SourceScope, scopesOf } from './sources.ts';

/** What the commands of a sample are checked by. */
export interface SampleRules {
  /** The time of the check, in milliseconds since 1970. */
  readonly nowMs: number;
  /** The scopes of the source. If absent, every command is allowed. */
  readonly scopes?: readonly SourceScope[] | undefined;
  /** Whether an `eventUrl` may also be `http://127.0.0.1:<port>`. */
  readonly allowsLoopbackEvents?: boolean | undefined;
  /** The delivery of the sample. If given, the check finds what the next attempt at this delivery would refuse. */
  readonly delivery?: Pick<OpenState | DeadState, 'receivedAtMs' | 'commands'> | undefined;
  /** Returns what a put would do now. If absent, puts are only checked. */
  readonly previewPut?: PreviewPut | undefined;
  /** Gets what the mapping returned, before it is checked. */
  readonly onResult?: ((result: unknown) => void) | undefined;
}

/** Returns what a put of a source with these scopes would do now. Changes nothing. */
export type PreviewPut = (put: Put, scopes: readonly SourceScope[]) => Promise<PreviewedPut | OutdatedPut>;

/** The commands that a mapping makes from a sample. */
export interface CheckedSample extends MappedCommands {
  /** What each command would do now, if it is a put: the entry with the index of the command. */
  readonly puts: readonly (PreviewedPut | OutdatedPut | undefined)[];
  /** What each command asks for, if it creates a project: the entry with the index of the command. */
  readonly creations: readonly (QuotedCreation | undefined)[];
}

/** What a creation asks for. A sample does not know whether Segue has an engine. */
export interface QuotedCreation extends Pick<Quote, 'words' | 'characters' | 'repeats'> {
  readonly segments: number;
  /** The number of characters that an engine would get. */
  readonly automaticCharacters: number;
}

/**
 * Maps a sample message to commands, and checks the commands without running them. A project is checked by the same
 * rules as over HTTP. Only puts are compared with existing projects: the custom id of a project to create may be in use.
 * The commands that the delivery of the sample has done are not checked, because no attempt runs them again.
 * @throws {Problem} `mapping-failed`, `unavailable`, `scope-missing`
 * @throws {Problem} `invalid-parameter` if the result is not a command
 * @throws {Problem} `idempotency-key-reused` if a command of the delivery that may have run is missing
 * @throws {Problem} `invalid-project`, `team-without-translator` with every fault
 */
export async function checkSample(
  mapping: string,
  sample: MappingInput,
  { nowMs, scopes, allowsLoopbackEvents, delivery, previewPut, onResult }: SampleRules,
): Promise<CheckedSample> {
  const own = mapper({ quotes: true });
  const { startDateToleranceMs } = LIMITS;
  const check = (command: Command): CheckedProject | undefined => {
    if ('delete' in command) return undefined;
    const isPut = 'put' in command;
    const rules = { startDateToleranceMs, allowsLoopbackEvents };
    try {
      const project = atOnce(projectSteps(rules, projectIn(command), nowMs, { isPut }));
      if (!isPut) checkDates(project, { nowMs, toleranceMs: startDateToleranceMs });
      return isPut ? undefined : project;
    } catch (error) {
      throw withMappingHints(error);
    }
  };
  try {
    await own.check(mapping);
    const result = await own.apply(mapping, sample, delivery?.receivedAtMs ?? nowMs);
    onResult?.(result);
    const made = readCommands(result);
    requireScopes({ scopes }, made.commands);
    const records = recordsOf(made.commands, delivery?.commands);
    const projects: (CheckedProject | undefined)[] = [];
    const checkAt = (command: Command, index: number) => {
      projects[index] = records[index]?.state === 'done' ? undefined : check(command);
    };
    if (made.isList) eachCommand(made.commands, checkAt);
    else made.commands.forEach(checkAt);
    const puts: CheckedSample['puts'][number][] = [];
    const creations: CheckedSample['creations'][number][] = [];
    for (const [index, command] of made.commands.entries()) {
      const isOpen = previewPut && 'put' in command && records[index]?.state !== 'done';
      const project = projects[index];
      creations.push(project && (await quoteCreation(project)));
      puts.push(isOpen ? await previewPut(command, scopesOf({ scopes })) : undefined);
    }
    return { ...made, puts, creations };
  } finally {
    own.close();
  }
}

async function quoteCreation(project: CheckedProject): Promise<QuotedCreation> {
  const { words, characters, repeats } = await quoteOf(project, {});
  const { automaticCharacters } = creationCounts(project);
  return { segments: project.segments.length, words, characters, repeats, automaticCharacters };
}
