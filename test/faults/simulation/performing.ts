import { causes } from './cause.ts';
import { type Result, resultOf } from './deeds.ts';
import { type Operation, told } from './operations.ts';
import type { Oracle } from './oracle.ts';
import { REQUEST_MS, type SimulatedWorld } from './world.ts';

export const PROCESSES = 3;
/** How much longer than a request may take a client waits. */
const PATIENCE_MS = 2_000;

/** Asks one of the processes, any unless given, and lets the oracle judge what it says. */
export async function perform(
  operation: Operation,
  world: SimulatedWorld,
  oracle: Oracle,
  place = world.random.below(PROCESSES),
): Promise<Result> {
  const { clock, trace } = world;
  const running = world.process(place);
  const { process } = running;
  const deed = oracle.begun(operation);
  trace(`${process.name} begins ${told(operation)}`);
  const lost = { is: 'lost' } as const;
  /** What is no problem of the catalogue is nothing that anybody may be told. */
  const thrown = (error: unknown): Result => {
    oracle.complain(`ended in ${error}`, operation);
    return lost;
  };
  const result = await Promise.race([
    causes.run(deed, () => resultOf(operation, running, world).catch(thrown)),
    clock.sleep(REQUEST_MS + PATIENCE_MS).then(() => lost),
  ]);
  const isExcused = process.isKilled || process.wasFrozenSince(deed.startedMs) || operation.kind === 'reconcile';
  if (result.is === 'lost' && !isExcused) oracle.complain('never ended', operation);
  oracle.ended(deed, result);
  trace(`${process.name} ended ${told(operation)}: ${result.is === 'problem' ? result.problem.name : result.is}`);
  return result;
}
