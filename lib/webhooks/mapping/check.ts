import { checkProject } from '../../contract/check.ts';
import { parseJson } from '../../contract/json.ts';
import { type Command, readCommand } from '../../service/commands/command.ts';
import { stamped } from '../../service/commands/create.ts';
import { MAPPING_LIMITS } from './limits.ts';
import type { Mapper } from './mapper.ts';

/** A message as it is received, or a sample of one. */
export interface Message {
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** As received. */
  readonly body: Uint8Array;
}

/**
 * What a message asks for.
 * @param nowMs what the mapping takes for now, in milliseconds since 1970
 * @returns `undefined` where it asks for nothing
 * @throws {Problem} `malformed-json`, `mapping-failed`; `invalid-parameter` where the result is no command; `unavailable`
 */
export async function commandOf(
  mapper: Mapper,
  mapping: string,
  { headers, body }: Message,
  nowMs: number,
): Promise<Command | undefined> {
  const message = { headers, body: parseJson(body, MAPPING_LIMITS.messageLevels) };
  const result = await mapper.apply(mapping, message, nowMs);
  return result === undefined || result === null ? undefined : readCommand(result);
}

/** How a sample is tried. */
export interface SampleOptions {
  readonly mapper: Mapper;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** How far off a start date may be, either way, in milliseconds. */
  readonly toleranceMs: number;
}

/**
 * What a sample asks for, its project checked like one over HTTP; nothing is done.
 * @returns `undefined` where it asks for nothing
 * @throws {Problem} as `commandOf`; `invalid-project`, `team-without-translator` with every fault
 */
export async function checkSample(
  mapping: string,
  sample: Message,
  { mapper, nowMs, toleranceMs }: SampleOptions,
): Promise<Command | undefined> {
  const command = await commandOf(mapper, mapping, sample, nowMs);
  if (command && 'create' in command) checkProject(stamped(command.create, nowMs), { nowMs, toleranceMs });
  return command;
}
