import type { PlantedBug } from './bug.ts';

/** Twenty seeds of the world in which one thing goes wrong often, and nothing else. */
function oftenWhere(what: string, whose: 'does right' | 'finds nothing wrong with the hosted service') {
  return { tests: ['test/faults/simulation/simulation.test.ts'], named: `${whose} where ${what}: 20 seeds$` };
}

/** Of stalls, clocks and strangers: each is found by the simulation in some of 20 seeds. */
export const SIMULATION_BUGS: readonly PlantedBug[] = [
  // In 2 of 20 seeds.
  {
    name: 'an absence proves that a young project is deleted',
    file: 'lib/upstream/deletion.ts',
    find: "(kind === 'gone' && isOld(seen))",
    replace: "kind === 'gone'",
    ...oftenWhere('a replica is stuck', 'does right'),
  },
  // In 9 of 20 seeds.
  {
    name: 'a retry shortens the time of an accepted deletion',
    file: 'lib/upstream/deletion.ts',
    find: 'settledAfterMs = Math.max(settledAfterMs, endOf(answer));',
    replace: "settledAfterMs = now() + (answer === 'accepted' ? ACCEPTED_MS : settleMs);",
    ...oftenWhere('deletions are accepted for hours', 'does right'),
  },
  // In 4 of 20 seeds.
  {
    name: 'a project with the same custom id is taken for the one that was sent',
    file: 'lib/upstream/looking.ts',
    find: "return isSent(intent, found) ? found : 'different';",
    replace: 'return found;',
    ...oftenWhere('other clients use the same custom ids', 'does right'),
  },
  // In 9 of 20 seeds.
  {
    name: 'a deletion is refused after a 404 though a replica may only be behind',
    file: 'lib/upstream/deletion.ts',
    find: "if (remains.kind === 'there' && isOld(seen)) throw new Unsettled(unknownOutcome(operation), open);",
    replace: "if (remains.kind === 'there') throw upstreamFailures.refused('It can still be read.');",
    ...oftenWhere('a replica is stuck and a proxy sends deletions twice', 'does right'),
  },
  // In 10 of 20 seeds.
  {
    name: 'a secret that was read before the clock was set back is used for hours',
    file: 'lib/credentials/secrets.ts',
    find: 'const ageMs = elapsedMs(before.askedAtMs, now());',
    replace: 'const ageMs = now() - before.askedAtMs;',
    ...oftenWhere('clocks are set back', 'does right'),
  },
  // In 7 of 20 seeds.
  {
    name: 'a breaker that opened before the clock was set back stays open for hours',
    file: 'lib/upstream/breaker.ts',
    find: 'return forMs - elapsedMs(sinceMs, nowMs);',
    replace: 'return forMs - (nowMs - sinceMs);',
    ...oftenWhere('clocks are set back', 'does right'),
  },
  // In 6 of 20 seeds.
  {
    name: 'an operation is said to have failed while its attempt may still commit',
    file: 'lib/idempotency/operations.ts',
    find: 'return (await fence(storage, key, read)) ?',
    replace: 'return read.version > 0 ?',
    ...oftenWhere('processes stand still', 'finds nothing wrong with the hosted service'),
  },
];
