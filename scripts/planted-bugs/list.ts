import type { PlantedBug } from './bug.ts';
import { BULK_BUGS } from './bulk.ts';
import { CREDENTIAL_BUGS } from './credentials.ts';
import { DOOR_BUGS } from './door.ts';
import { DYNAMODB_BUGS } from './dynamodb.ts';
import { SIGNATURE_BUGS } from './signatures.ts';
import { SIMULATION_BUGS } from './simulation.ts';
import { UPSTREAM_BUGS } from './upstream.ts';
import { WEBHOOK_BUGS } from './webhooks.ts';
import { WORKFLOW_BUGS } from './workflow.ts';

const ONCE = 'test/lib/idempotency/exactly-once.test.ts';
const OPERATIONS = 'test/lib/idempotency/operations.test.ts';
const FINGERPRINT = 'test/lib/idempotency/fingerprint.test.ts';
const STORE = 'test/lib/storage/sqlite.test.ts';
const CRASHES = 'test/faults/crash-points.test.ts';
const MODEL = 'test/faults/model.test.ts';
const LEFTOVERS = 'test/faults/leftovers.test.ts';
const HTTP = 'test/lib/http/operations.test.ts';
const PAGES = 'test/lib/http/problem-pages.test.ts';
const REFERENCE = 'test/lib/http/reference.test.ts';
const RETENTIONS = 'test/lib/contract/retentions.test.ts';
const FUZZ = 'test/faults/hostile/fuzz.test.ts';
const PARAMETERS = 'test/lib/contract/parameters.test.ts';

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'an overtaken attempt is not fenced off',
    file: 'lib/idempotency/exactly-once.ts',
    find: "{ kind: 'replace', version: from, ...content }",
    replace: "{ kind: 'put', ...content }",
    tests: [ONCE],
  },
  {
    name: 'an operation is reported as failed while its attempt may still commit',
    file: 'lib/idempotency/operations.ts',
    find: '(await fence(storage, key, read))',
    replace: 'true',
    tests: [OPERATIONS],
  },
  {
    name: 'an attempt that was given up begins again',
    file: 'lib/idempotency/exactly-once.ts',
    find: 'if (intent === undefined && held) throw givenUp(held);',
    replace: '',
    tests: [OPERATIONS],
  },
  {
    name: 'a lost answer to the end of a lease is an error',
    file: 'lib/idempotency/exactly-once.ts',
    find: "if (error instanceof Problem && error.name === 'outcome-unknown') return false;",
    replace: '',
    tests: [OPERATIONS],
  },
  {
    name: 'a clock that is set back makes every interval longer',
    file: 'lib/contract/elapsed.ts',
    find: 'return nowMs < sinceMs ? Number.POSITIVE_INFINITY : nowMs - sinceMs;',
    replace: 'return nowMs - sinceMs;',
    tests: [
      'test/lib/credentials/secrets.test.ts',
      'test/lib/upstream/breaker.test.ts',
      'test/lib/service/deadline.test.ts',
    ],
    named: 'set back',
  },
  {
    name: 'a deadline moves when the clock is set back',
    file: 'lib/service/deadline.ts',
    find: 'Math.max(0, atMs - sinceMs - elapsedMs(sinceMs, now()))',
    replace: 'Math.max(0, atMs - now())',
    tests: ['test/lib/service/deadline.test.ts'],
  },
  {
    name: 'old connections serve again after the clock was set back',
    file: 'lib/service/kept-agent.ts',
    find: 'idledMs < 0 || idledMs > idleMs',
    replace: 'idledMs > idleMs',
    tests: ['test/lib/service/kept-agent.test.ts'],
  },
  {
    name: 'a released key begins its versions anew',
    file: 'lib/idempotency/exactly-once.ts',
    find: 'return [write(version, { ...ended, ...(isEnd && { failure: error.name }) }, true), ...undo];',
    replace: "return [{ kind: 'remove', key, version }, ...undo];",
    tests: [ONCE],
  },
  {
    name: 'failed work does not free its key',
    file: 'lib/idempotency/exactly-once.ts',
    find: 'const ended = { ...meaning, leaseEndsAtMs: ENDED_MS };',
    replace: 'const ended = working();',
    tests: [ONCE],
  },
  {
    name: 'a key is kept a millisecond too long',
    file: 'lib/idempotency/exactly-once.ts',
    find: '(item.expiresAtMs ?? 0) > now()',
    replace: '(item.expiresAtMs ?? 0) >= now()',
    tests: [ONCE],
  },
  {
    name: 'an operation that came to nothing runs for ever',
    file: 'lib/idempotency/operations.ts',
    find: 'leaseEndsAtMs > now()',
    replace: 'leaseEndsAtMs >= 0',
    tests: [MODEL],
  },
  {
    name: 'an operation can be asked for longer than its key is kept',
    file: 'lib/idempotency/operations.ts',
    find: ' || (item.expiresAtMs ?? 0) <= now()',
    replace: '',
    tests: [MODEL],
  },
  {
    name: 'the result is not committed with its effect',
    file: 'lib/idempotency/commit.ts',
    find: 'const settled = settle?.(result);',
    replace: 'const settled = settle?.(result); if (settled) await storage.commit({ writes: [settled] });',
    tests: [CRASHES],
  },
  {
    name: 'the order of keys changes what a request means',
    file: 'lib/contract/canonical-json.ts',
    find: '.sort(([a], [b]) => (a < b ? -1 : 1))',
    replace: '',
    tests: [FINGERPRINT],
  },
  {
    name: 'a replay ignores the body',
    file: 'lib/idempotency/once.ts',
    find: 'if (!isSame(outcome.meaning, meaning))',
    replace: 'if (outcome.meaning.operation !== meaning.operation)',
    tests: [MODEL],
  },
  {
    name: 'a later start date makes a retry another request',
    file: 'lib/service/meaning.ts',
    find: "[...SERVICE_FIELDS.project, 'startDateUtc']",
    replace: 'SERVICE_FIELDS.project',
    tests: [MODEL],
  },
  {
    name: 'a late retry is not told that its project was deleted',
    file: 'lib/idempotency/once.ts',
    find: '  await replay.requireLive(result);\n',
    replace: '',
    tests: [MODEL],
  },
  {
    name: 'a key is shared by all companies',
    file: 'lib/idempotency/once.ts',
    find: 'recordKey(partitionOf(call.companyId),',
    replace: "recordKey('company',",
    tests: [MODEL],
  },
  {
    name: 'a custom id is looked up without its company',
    file: 'lib/idempotency/keys.ts',
    find: '{ partition: partitionOf(companyId), sort: `custom-id/',
    replace: "{ partition: partitionOf('any'), sort: `custom-id/",
    tests: [MODEL],
  },
  {
    name: 'a tombstone keeps the project’s name',
    file: 'lib/hosted/deletion.ts',
    find: 'tombstones(call, record, deletedAtMs)',
    replace: "tombstones({ ...call, requestId: record.head?.name ?? '' }, record, deletedAtMs)",
    tests: [LEFTOVERS],
  },
  {
    name: 'a tombstone is told of for ever',
    file: 'lib/idempotency/tombstones.ts',
    find: 'item && (item.expiresAtMs ?? 0) > now()',
    replace: 'item',
    tests: [MODEL],
  },
  {
    name: 'a deleted project keeps its custom id',
    file: 'lib/hosted/deletion.ts',
    find: 'if (customId !== null) {',
    replace: "if (customId === '') {",
    tests: [MODEL],
  },
  {
    name: 'a deleted project’s content stays in the store',
    file: 'lib/hosted/deletion.ts',
    find: 'version, drops }];',
    replace: 'version }];',
    tests: [LEFTOVERS],
  },
  {
    name: 'a deleted task’s content stays in the store',
    file: 'lib/hosted/deletion.ts',
    find: 'version, drops, ...content }',
    replace: 'version, ...content }',
    tests: [MODEL],
  },
  {
    name: 'the sweeper forgets the bytes',
    file: 'lib/storage/sqlite/sweeper.ts',
    find: 'this.#removePayload.run(id);',
    replace: '',
    tests: [STORE],
  },
  {
    name: 'the deletion of a project’s own task keeps segments without a task id',
    file: 'lib/service/tasks.ts',
    find: '(segment.taskId ?? own) === taskId',
    replace: 'segment.taskId === taskId',
    tests: [MODEL],
  },
  {
    name: 'a refused batch is made in part',
    file: 'lib/storage/sqlite/transaction.ts',
    find: "keeps(result) ? 'COMMIT' : 'ROLLBACK'",
    replace: "keeps(result) ? 'COMMIT' : 'COMMIT'",
    tests: [STORE],
  },
  {
    name: 'the record of an event goes before the dead letter that points at it',
    file: 'lib/idempotency/events.ts',
    find: "retentionMsOf('event')",
    replace: '3 * 86_400_000',
    tests: [RETENTIONS],
  },
  {
    name: 'a key is kept no longer than what can send its request again',
    file: 'lib/contract/retentions.ts',
    find: 'webhookKey: { days: 15,',
    replace: 'webhookKey: { days: 14,',
    tests: [RETENTIONS],
  },
  {
    name: 'SQLite begins every item at version 1',
    file: 'lib/storage/sqlite/storage.ts',
    find: '[firstVersionOf(write), ...contentOf(write), this.#putPayload(write)]',
    replace: '[1, ...contentOf(write), this.#putPayload(write)]',
    tests: [STORE],
  },
  {
    name: 'a put does not count as a change',
    file: 'lib/storage/sqlite/storage.ts',
    find: 'expires_at_ms = excluded.expires_at_ms, version = version + 1',
    replace: 'expires_at_ms = excluded.expires_at_ms',
    tests: [STORE],
  },
  {
    name: 'a replaced item keeps its old expiry',
    file: 'lib/storage/sqlite/storage.ts',
    find: 'SET data = ?, expires_at_ms = ?, payload_id',
    replace: 'SET data = ?, expires_at_ms = coalesce(?, expires_at_ms), payload_id',
    tests: [STORE],
  },
  {
    name: 'a blank task id widens a deletion to the project',
    file: 'lib/contract/parameters.ts',
    find: 'for (const [name, texts = []] of Object.entries(query)) {',
    replace: "for (const [name, texts = []] of Object.entries(query)) { if (texts.join('').trim() === '') continue;",
    tests: [PARAMETERS],
  },
  {
    name: 'a parameter named __proto__ is dropped on its way',
    file: 'local/target.ts',
    find: 'all: Object.fromEntries(all) }',
    replace: 'all: [...all].reduce((to, [name, values]) => { to[name] = values; return to; }, {}) }',
    tests: ['test/contract/hosted.test.ts'],
  },
  {
    name: 'a whole list ends after its first pages',
    file: 'lib/http/operations/list-projects.ts',
    find: 'if (page.next === undefined) break;',
    replace: 'if (page.next === undefined || count >= 200) break;',
    tests: ['test/lib/http/list-projects.test.ts'],
  },
  {
    name: 'a page may be one longer than the limit',
    file: 'lib/contract/parameters.ts',
    find: 'limit <= LIMITS.listMax',
    replace: 'limit <= LIMITS.listMax + 1',
    tests: [PARAMETERS],
  },
  {
    name: 'a custom id is decoded twice',
    file: 'lib/http/project-ref.ts',
    find: 'return decodeURIComponent(segment);',
    replace: 'return decodeURIComponent(decodeURIComponent(segment));',
    tests: [HTTP],
  },
  {
    name: 'the scope of a key is not checked',
    file: 'lib/http/middleware/require-scope.ts',
    find: 'if (scope !== null && !principal?.scopes.includes(scope))',
    replace: 'if (scope !== null && !principal)',
    tests: [HTTP],
  },
  {
    name: 'a start date may be anything',
    file: 'lib/hosted/creation.ts',
    find: '  checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs });\n',
    replace: '',
    tests: ['test/lib/hosted/service.test.ts'],
  },
  {
    name: 'a text of a page is taken for HTML',
    file: 'lib/http/html.ts',
    find: ".replaceAll('<', '&lt;')",
    replace: '',
    tests: [PAGES],
  },
  {
    name: 'the reference page marks no field as optional',
    file: 'lib/http/reference-html.ts',
    find: "required.includes(field) ? '' : ', optional'",
    replace: "required.includes(field) ? '' : ''",
    tests: [REFERENCE],
  },
  {
    name: 'the reference page marks required parameters as optional',
    file: 'lib/http/reference-html.ts',
    find: "parameter.required ? '' : ', optional'",
    replace: "parameter.required ? ', optional' : ''",
    tests: [REFERENCE],
  },
  {
    name: 'the reference page knows of no required field',
    file: 'lib/http/reference.ts',
    find: '  required: z.optional(z.array(z.string())),\n',
    replace: '',
    tests: [REFERENCE],
  },
  {
    name: 'a name of Object.prototype is a problem type',
    file: 'lib/contract/problems.ts',
    find: 'Object.hasOwn(PROBLEMS, text)',
    replace: 'text in PROBLEMS',
    tests: [PAGES],
  },
  {
    name: 'a lenient parser lets a deletion be smuggled in',
    file: 'local/gateway.ts',
    find: 'requireHostHeader: false,',
    replace: 'requireHostHeader: false, insecureHTTPParser: true,',
    tests: [FUZZ],
  },
  {
    name: 'a deletion may have a body',
    file: 'lib/http/middleware/no-body.ts',
    find: 'if (event.received)',
    replace: "if (event.received && event.requestId === '')",
    tests: [FUZZ],
  },
  ...BULK_BUGS,
  ...CREDENTIAL_BUGS,
  ...DOOR_BUGS,
  ...DYNAMODB_BUGS,
  ...SIGNATURE_BUGS,
  ...SIMULATION_BUGS,
  ...UPSTREAM_BUGS,
  ...WEBHOOK_BUGS,
  ...WORKFLOW_BUGS,
];
