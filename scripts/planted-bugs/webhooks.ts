import type { PlantedBug } from './bug.ts';

const DELIVERIES = 'test/webhooks/deliveries.test.ts';
const CRASHES = 'test/webhooks/crash-points.test.ts';
const LISTS = 'test/webhooks/command-lists.test.ts';
const MAPPER = 'test/webhooks/mapping/mapper.test.ts';

/** Bugs of what works on deliveries of webhooks. */
export const WEBHOOK_BUGS: readonly PlantedBug[] = [
  {
    name: 'a message stays when its work is done',
    file: 'lib/webhooks/changes.ts',
    find: 'unmark(kept), erasure(kept.ref, message)];',
    replace: 'unmark(kept)];',
    tests: [DELIVERIES],
  },
  {
    name: 'a delivery is taken in without a look at those before',
    file: 'lib/webhooks/changes.ts',
    find: "expired === undefined ? { kind: 'insert', key, data }",
    replace: "expired === undefined ? { kind: 'put', key, data }",
    tests: [DELIVERIES],
  },
  {
    name: 'work that failed counts as done',
    file: 'lib/webhooks/carry-out-commands.ts',
    find: "if (outcome === 'not-applied') {",
    replace: "if (outcome === 'unknown') {",
    tests: [DELIVERIES, LISTS],
  },
  {
    name: 'what another worker has to itself is worked on',
    file: 'lib/webhooks/attempt.ts',
    find: 'if (!found || found.state.dueMs > now()) return PASSED_OVER;',
    replace: 'if (!found) return PASSED_OVER;',
    tests: [DELIVERIES],
  },
  {
    name: 'a dead letter that is driven again is nowhere listed',
    file: 'lib/webhooks/changes.ts',
    find: 'unlisted(kept), mark(ref, nowMs)];',
    replace: 'unlisted(kept)];',
    tests: [DELIVERIES],
  },
  {
    name: 'what can never succeed is tried again',
    file: 'lib/webhooks/attempt.ts',
    find: "if (isOver || !(retryable || outcome === 'unknown')) {",
    replace: 'if (isOver) {',
    tests: [DELIVERIES],
  },
  {
    name: 'each attempt at a delivery is another request',
    file: 'lib/webhooks/attempt.ts',
    find: 'const once = { key:',
    replace: 'const once = { key: String(now()) +',
    tests: [CRASHES, DELIVERIES, 'test/webhooks/many.test.ts'],
  },
  {
    name: 'a command that the mapping has changed since it was carried out is another one',
    file: 'lib/webhooks/command-records.ts',
    find: 'if (lost === -1) return records;',
    replace: 'if (lost !== -2) return records;',
    tests: [LISTS],
  },
  {
    name: 'equal commands are one',
    file: 'lib/webhooks/command-records.ts',
    find: '(equal.get(hash) ?? 0) + 1;',
    replace: '1;',
    tests: [LISTS, 'test/webhooks/many.test.ts'],
  },
  {
    name: 'what an attempt may have begun is not kept',
    file: 'lib/webhooks/command-records.ts',
    find: "record.state === 'done' ? record : { state: 'open', id: record.id }",
    replace: 'record',
    tests: [LISTS],
  },
  {
    name: 'a message is carried out for whomever its source belongs to by now',
    file: 'lib/webhooks/attempt.ts',
    find: 'if (source?.companyId !== companyId)',
    replace: 'if (source === undefined)',
    tests: [DELIVERIES],
  },
  {
    name: 'a time to come back is not kept to',
    file: 'lib/webhooks/patience.ts',
    find: 'retryAfterSeconds * 1_000);',
    replace: '0 * retryAfterSeconds);',
    tests: [DELIVERIES],
  },
  {
    name: 'one source takes every place',
    file: 'lib/webhooks/work.ts',
    find: 'const OF_A_SOURCE = 2;',
    replace: 'const OF_A_SOURCE = AT_ONCE;',
    tests: [DELIVERIES],
  },
  {
    name: 'what comes during a run waits for its end',
    file: 'lib/webhooks/in-turns.ts',
    find: 'const LOOK_MS = 500;',
    replace: 'const LOOK_MS = 500_000;',
    tests: [DELIVERIES],
    named: 'goes on with what comes meanwhile',
  },
  {
    name: 'what one source has hides what others have',
    file: 'lib/webhooks/work.ts',
    find: 'ofASource: 1_000,',
    replace: 'ofASource: 5_000,',
    tests: [DELIVERIES],
  },
  {
    name: 'two large numbers become one',
    file: 'lib/webhooks/mapping/body.ts',
    find: 'return LONG.test(text) ? JSON.parse(text, exact) : value;',
    replace: 'return LONG.test(text) ? JSON.parse(text) : value;',
    tests: [DELIVERIES],
  },
  {
    name: 'a change of the mapping undoes a rotation',
    file: 'lib/webhooks/administration.ts',
    find: "const change = { kind: 'replace', key: sourceKey(name), version, data: changed } as const;",
    replace: "const change = { kind: 'put', key: sourceKey(name), version, data: changed } as const;",
    tests: ['test/lib/webhooks/administration.test.ts'],
  },
  {
    name: 'a mapping may take all the memory that there is',
    file: 'lib/webhooks/mapping/limits.ts',
    find: 'heapMiB: 64,\n  processMiB: 384,',
    replace: 'heapMiB: 1_024,\n  processMiB: 2_048,',
    tests: [MAPPER],
    named: 'needs more memory',
  },
  {
    name: 'a mapping may take all the time that there is',
    file: 'lib/webhooks/mapping/program.ts',
    find: 'limits.timeMs * 1_000',
    replace: 'limits.timeMs * 1_000_000',
    tests: [MAPPER],
    named: 'what would never end',
  },
  {
    name: 'a message can say what is run',
    file: 'lib/webhooks/mapping/program.ts',
    find: "['random', 'shuffle', 'eval']",
    replace: "['random', 'shuffle']",
    tests: [MAPPER],
    named: 'nothing is reached',
  },
];
