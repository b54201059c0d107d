import type { PlantedBug } from './bug.ts';

const STORE = 'test/lib/storage/dynamodb/storage.test.ts';
const FAILURES = 'test/lib/storage/dynamodb/failures.test.ts';
const OBJECTS = 'test/lib/storage/dynamodb/objects.test.ts';
const SWEEPER = 'test/lib/doors/background/sweeper.test.ts';
const CRASHES = 'test/faults/crash-points.test.ts';

/** Bugs of the store on DynamoDB and S3. */
export const DYNAMODB_BUGS: readonly PlantedBug[] = [
  {
    name: 'a payload is put outside the transaction of its item',
    file: 'lib/storage/dynamodb/storage.ts',
    find: '      putPayload(table, write.key, { version, bytes, ...(object && { object }) }),\n',
    replace:
      '      ...(await transact(client, [putPayload(table, write.key, { version, bytes, ...(object && { object }) })]).then(() => [])),\n',
    tests: [STORE],
  },
  {
    name: 'a replacement does not ask for the version',
    file: 'lib/storage/dynamodb/change.ts',
    find: 'replace: IS_VERSION, put',
    replace: 'replace: undefined, put',
    tests: [STORE],
  },
  {
    name: 'what is relied on is not checked',
    file: 'lib/storage/dynamodb/change.ts',
    find: '? { ConditionCheck: condition }',
    replace:
      "? { Update: { ...condition, ConditionExpression: undefined, UpdateExpression: 'SET #version = :version' } }",
    tests: [STORE],
  },
  {
    name: 'a payload of another version passes for an item’s',
    file: 'lib/storage/dynamodb/storage.ts',
    find: 'payload?.version.N === String(item.version) ?',
    replace: 'payload ?',
    tests: [FAILURES],
  },
  {
    name: 'the bytes of a payload are not compared with their hash',
    file: 'lib/storage/dynamodb/payload.ts',
    find: 'if (read && hashOf(read) !== sha256.S)',
    replace: "if (read && sha256.S === '')",
    tests: [FAILURES],
  },
  {
    name: 'an object is forgotten when its item is removed',
    file: 'lib/storage/dynamodb/storage.ts',
    find: '...(drops ? [deletePayload(table, write.key)] : []), ...dropped];',
    replace: '...(drops ? [deletePayload(table, write.key)] : [])];',
    tests: [OBJECTS],
  },
  {
    name: 'an object is forgotten when another takes its place',
    file: 'lib/storage/dynamodb/storage.ts',
    find: '[changeOf(table, unmark(object))] : []),\n      ...dropped,',
    replace: '[changeOf(table, unmark(object))] : []),',
    tests: [OBJECTS],
  },
  {
    name: 'an object that an item names stays marked',
    file: 'lib/storage/dynamodb/storage.ts',
    find: '      ...(object ? [changeOf(table, unmark(object))] : []),\n',
    replace: '',
    tests: [OBJECTS],
  },
  {
    name: 'an object is marked only once it is there',
    file: 'lib/storage/dynamodb/storage.ts',
    find: "    const marked = await transact(client, [changeOf(table, markPending(object, key, now()))]);\n    if (!marked.ok) throw new RangeError('An id that no other process gives was given twice');\n    await objects.put(object, bytes);\n",
    replace:
      '    await objects.put(object, bytes);\n    await transact(client, [changeOf(table, markPending(object, key, now()))]);\n',
    tests: [CRASHES],
  },
  {
    name: 'keys that DynamoDB left unread count as absent',
    file: 'lib/storage/dynamodb/storage.ts',
    find: 'if (!left?.Keys.length) {',
    replace: 'if (!left?.Keys.length || attempt > 0) {',
    tests: [FAILURES],
  },
  {
    name: 'a read may be of an older state',
    file: 'lib/storage/dynamodb/items.ts',
    find: 'Key: attributesOf(key), ConsistentRead: true }',
    replace: 'Key: attributesOf(key) }',
    tests: [STORE],
  },
  {
    name: 'a read with a payload may be of an older state',
    file: 'lib/storage/dynamodb/storage.ts',
    find: 'map(attributesOf), ConsistentRead: true }',
    replace: 'map(attributesOf) }',
    tests: [STORE],
  },
  {
    name: 'a list ends at the first page',
    file: 'lib/storage/dynamodb/list.ts',
    find: '} while (start);',
    replace: '} while (start && items.length < 0);',
    tests: [STORE],
  },
  {
    name: 'a conflict with others is not tried again',
    file: 'lib/storage/dynamodb/transaction.ts',
    find: 'const mayHelp = cancellation?.isConflict || failure.isPassing;',
    replace: 'const mayHelp = failure.isPassing;',
    tests: [FAILURES],
  },
  {
    name: 'a transaction that may have been made is repeated as another one',
    file: 'lib/storage/dynamodb/transaction.ts',
    find: 'if (isUndone) token = randomUUID();',
    replace: 'token = randomUUID();',
    tests: [FAILURES],
  },
  {
    name: 'a repetition that was refused speaks for the first attempt',
    file: 'lib/storage/dynamodb/transaction.ts',
    find: 'isUndone &&= failure.isUndone;',
    replace: 'isUndone = failure.isUndone;',
    tests: [FAILURES],
  },
  {
    name: 'a transaction that is still at work counts as refused',
    file: 'lib/storage/dynamodb/failures.ts',
    find: ' || refusal.code === AT_WORK',
    replace: '',
    tests: [FAILURES],
  },
  {
    name: 'an error of DynamoDB counts as nothing done',
    file: 'lib/storage/dynamodb/failures.ts',
    find: '!refusal.isOfRequest || ',
    replace: '',
    tests: [FAILURES],
  },
  {
    name: 'only the first versions of an object are removed',
    file: 'lib/storage/dynamodb/objects.ts',
    find: '    if (Errors.length > 0) throw new VersionsLeft(',
    replace: '    if (Errors.length === 0) return;\n    throw new VersionsLeft(',
    tests: [OBJECTS],
  },
  {
    name: 'a sweeper removes an object before it has its mark',
    file: 'lib/storage/dynamodb/sweeper.ts',
    find: "kind: 'replace', key, version: item.version, data: item.data }),\n  ]);",
    replace:
      "kind: 'check', key, version: item.version }),\n  ]);\n  Object.assign(item, { version: item.version - 1 });",
    tests: [OBJECTS],
  },
  {
    name: 'a sweeper removes an object that an item names',
    file: 'lib/storage/dynamodb/sweeper.ts',
    find: 'if ((await storedObject(table, client, mark)) !== object) await',
    replace: 'await',
    tests: [OBJECTS],
  },
  {
    name: 'a mark that cannot be read stops every sweep',
    file: 'lib/storage/dynamodb/sweeper.ts',
    find: '    return { object, sinceMs: 0 };',
    replace: '    throw new RangeError(object);',
    tests: [SWEEPER],
  },
  {
    name: 'a sweep reads marks when its time is up',
    file: 'lib/storage/dynamodb/sweeper.ts',
    find: 'if (!more || isTimeLeft()) continue;',
    replace: 'if (!more || stored) continue;',
    tests: [SWEEPER],
  },
  {
    name: 'nobody is told why an object could not be removed',
    file: 'lib/storage/dynamodb/sweeper.ts',
    find: '      failure ??= error;\n',
    replace: '',
    tests: [SWEEPER],
  },
  {
    name: 'payloads of one company share a partition',
    file: 'lib/storage/dynamodb/payload.ts',
    find: 'partition}/$',
    replace: 'partition}` || `$',
    tests: [FAILURES],
  },
  {
    name: 'events behind one that failed are put before it',
    file: 'lib/doors/background/events.ts',
    find: 'if (published.taken < batch.length) return { ...published, taken };',
    replace: 'if (published.taken < 0) return { ...published, taken };',
    tests: ['test/lib/doors/background/events.test.ts'],
  },
  {
    name: 'an item says in milliseconds when a table may remove it',
    file: 'lib/storage/dynamodb/change.ts',
    find: 'Math.ceil(expiresAtMs / 1_000)',
    replace: 'expiresAtMs',
    tests: [FAILURES],
  },
  {
    name: 'a payload may be larger than an item',
    file: 'lib/storage/dynamodb/payload.ts',
    find: 'MOST_INLINE_BYTES = 390_000',
    replace: 'MOST_INLINE_BYTES = 410_000',
    tests: [OBJECTS],
  },
  {
    name: 'an object is swept before its transaction can have come',
    file: 'lib/storage/dynamodb/marks.ts',
    find: 'dueMs: nowMs + PENDING_MS',
    replace: 'dueMs: nowMs',
    tests: [OBJECTS],
  },
];
