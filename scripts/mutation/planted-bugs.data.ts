/** A change at one place of the code that breaks a guarantee. */
export interface PlantedBug {
  /** What Segue does wrong because of the change. */
  readonly name: string;
  readonly file: string;
  /** The code to replace. It occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The test files that should find the bug, as few as possible. */
  readonly tests: readonly string[];
  /** A regular expression for the names of the tests that should find the bug. If absent, every test of the files. */
  readonly named?: string;
}

/** Returns the tests for a bug that a test of the simulation should find. @param named how the test's name ends */
const simulation = (named: string) => ({ tests: ['test/faults/simulation/simulation.test.ts'], named: `${named}$` });

/** Bugs that random mutation does not create. Each breaks a guarantee that several places in the code keep together. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'an attempt that has lost its lease can still commit',
    file: 'lib/idempotency/run-idempotent.ts',
    find: "{ kind: 'replace', version: from, ...content }",
    replace: "{ kind: 'put', ...content }",
    tests: ['test/lib/idempotency/run-idempotent.test.ts'],
  },
  {
    name: 'a released idempotency key starts its versions again',
    file: 'lib/idempotency/run-idempotent.ts',
    find: 'return [write(version, { ...ended, ...(isEnd && { failure: error.name }) }, true), ...undo];',
    replace: "return [{ kind: 'remove', key, version }, ...undo];",
    tests: ['test/lib/idempotency/run-idempotent.test.ts'],
  },
  {
    name: 'the result and its effect are not committed together',
    file: 'lib/idempotency/commit.ts',
    find: 'const settled = settle?.(result);',
    replace: 'const settled = settle?.(result); if (settled) await storage.commit({ writes: [settled] });',
    tests: ['test/faults/crash-points.test.ts'],
  },
  {
    name: 'a deleted project keeps its custom id',
    file: 'lib/hosted/delete-project.ts',
    find: 'if (customId !== null)',
    replace: "if (customId === '')",
    tests: ['test/faults/model.test.ts'],
  },
  {
    name: 'a blank task id widens a deletion to the project',
    file: 'lib/contract/parameters.ts',
    find: 'for (const [name, texts = []] of Object.entries(query)) {',
    replace: "for (const [name, texts = []] of Object.entries(query)) { if (texts.join('').trim() === '') continue;",
    tests: ['test/lib/contract/parameters.test.ts'],
  },
  {
    name: 'a custom id is looked up without its company',
    file: 'lib/idempotency/project-item.ts',
    find: '{ partition: companyPartition(companyId), sort: `custom-id/',
    replace: "{ partition: companyPartition('any'), sort: `custom-id/",
    tests: ['test/faults/model.test.ts'],
  },
  {
    name: 'a lenient parser lets a deletion be smuggled in',
    file: 'local/gateway.ts',
    find: 'requireHostHeader: false,',
    replace: 'requireHostHeader: false, insecureHTTPParser: true,',
    tests: ['test/faults/samples.test.ts'],
    named: 'answers hostile requests properly',
  },
  {
    name: 'a deletion does not check that its API key is still active',
    file: 'lib/hosted/delete-project.ts',
    find: ', ...(held ? [held] : [])',
    replace: '',
    tests: ['test/faults/revoked-keys.test.ts'],
  },
  {
    name: 'an expired API key can delete until the cache of the authorizer ends',
    file: 'lib/credentials/key-directory.ts',
    find: ' && now() < keyExpiresAtMs',
    replace: '',
    tests: ['test/local/key-limits.test.ts'],
  },
  {
    name: 'a deletion checks the state of its API key, and not the limits',
    file: 'lib/credentials/key-directory.ts',
    find: 'useRefusal(guard, use)',
    replace: "guard.state === 'active' ? undefined : guard.state",
    tests: ['test/local/key-limits.test.ts'],
  },
  {
    name: 'a refresh that lost its key ends the token family of its successor',
    file: 'lib/credentials/token-pair.ts',
    find: 'claim ? [isUsed ? claim.held : claim.settle(record)] : []',
    replace: 'claim && !isUsed ? [claim.settle(record)] : []',
    tests: ['test/faults/credentials.test.ts'],
  },
  {
    name: 'a transaction does not check the items that it relies on',
    file: 'lib/storage/dynamodb/items.ts',
    find: '? { ConditionCheck: condition }',
    replace:
      "? { Update: { ...condition, ConditionExpression: undefined, UpdateExpression: 'SET #version = :version' } }",
    tests: ['test/lib/storage/dynamodb/storage.test.ts'],
  },
  {
    name: 'a late transaction can commit a reference to a swept object',
    file: 'lib/storage/dynamodb/sweep-markers.ts',
    find: 'const AFTER_SWEEP = 2;',
    replace: 'const AFTER_SWEEP = 1;',
    tests: ['test/lib/storage/dynamodb/objects.test.ts'],
  },
  {
    name: 'a transaction with an unknown outcome is repeated with another token',
    file: 'lib/storage/dynamodb/retries.ts',
    find: 'if (isUndone) token = randomUUID();',
    replace: 'token = randomUUID();',
    tests: ['test/lib/storage/dynamodb/failures.test.ts'],
  },
  {
    name: 'a creation whose answer was lost is sent again without a lookup',
    file: 'lib/upstream/create-project.ts',
    find: 'await findCreated(deps, open, upstreamCall, unknownOutcome(operation, sent), isTaken)',
    replace: 'undefined',
    ...simulation('does right: 40 seeds'),
  },
  {
    name: 'a lookup within the settle time counts as proof that nothing was created',
    file: 'lib/upstream/find-created.ts',
    find: "found !== 'no-answer' && requestedAtMs >= intent.settledAfterMs",
    replace: "found !== 'no-answer'",
    ...simulation('does right: 40 seeds'),
  },
  {
    name: 'the deletion of a task is sent without the task id',
    file: 'lib/upstream/delete-project.ts',
    find: 'projectPath({ id: intent.serviceId }, intent.taskId ?? undefined)',
    replace: 'projectPath({ id: intent.serviceId }, undefined)',
    ...simulation('does right: 40 seeds'),
  },
  {
    name: 'a request is sent without a stored intent',
    file: 'lib/idempotency/run-idempotent.ts',
    find: 'intent === undefined ? {} : { intent }',
    replace: '{}',
    ...simulation('does right: 40 seeds'),
  },
  {
    name: 'a refusal is reported for a deletion that an earlier request may have done',
    file: 'lib/upstream/delete-project.ts',
    find: "      if (isRepeated) return 'refused';\n",
    replace: '',
    ...simulation('does right: 40 seeds'),
  },
  {
    name: 'a deleted project has no tombstone',
    file: 'lib/upstream/forget-project.ts',
    find: '...tombstoneWrites(deleter, { id, customId }, deletedAtMs),',
    replace: '',
    ...simulation('does right: 40 seeds'),
  },
  {
    name: 'a 404 counts as proof that a young project is deleted',
    file: 'lib/upstream/read-back.ts',
    find: "!isOld && (kind === 'gone' || ",
    replace: '!isOld && (',
    ...simulation('does right where a replica is stuck: 20 seeds'),
  },
  {
    name: 'a retry shortens the time of an accepted deletion',
    file: 'lib/upstream/delete-project.ts',
    find: 'settledAfterMs = Math.max(settledAfterMs, settledAfterResponse(response));',
    replace: "settledAfterMs = now() + (response === 'accepted' ? ACCEPTED_MS : propagationMs);",
    ...simulation('does right where deletions are accepted for hours: 10 seeds'),
  },
  {
    name: 'a foreign project with the same custom id counts as the created one',
    file: 'lib/upstream/find-created.ts',
    find: "return isSent(intent, found) ? found : 'different';",
    replace: 'return found;',
    ...simulation('does right where other clients use the same custom ids: 10 seeds'),
  },
  {
    name: 'a deletion is refused after a 404 though a replica may only be behind',
    file: 'lib/upstream/delete-project.ts',
    find: "if (verdict === 'not-found') throw failures.projectNotFound();",
    replace: "if (isAbsent && kind === 'there') throw upstreamFailures.refused('It can still be read.');",
    ...simulation('does right where a replica is stuck and a proxy sends deletions twice: 10 seeds'),
  },
  {
    name: 'a secret that was read before the clock was set back is used for hours',
    file: 'lib/credentials/cached-secret.ts',
    find: 'const ageMs = elapsedMs(before.readAtMs, now());',
    replace: 'const ageMs = now() - before.readAtMs;',
    ...simulation('does right where clocks are set back: 10 seeds'),
  },
  {
    name: 'an operation is reported as failed while its attempt may still commit',
    file: 'lib/idempotency/operation-state.ts',
    find: 'return (await fence(storage, key, read)) ?',
    replace: 'return read.version > 0 ?',
    ...simulation('finds nothing wrong with the hosted service where processes stand still: 20 seeds'),
  },
  {
    name: 'the reserve of a full disk is never released',
    file: 'lib/storage/sqlite/room.ts',
    find: 'this.#reserve.release();',
    replace: '',
    tests: ['test/lib/storage/sqlite/room.test.ts'],
  },
  {
    name: 'a deletion of the hosted service has no room on a full disk of the reserve',
    file: 'lib/hosted/service.ts',
    find: 'storage: storageWithReserve(storage)',
    replace: 'storage',
    ...simulation('finds nothing wrong with the hosted service where the disk is full: 20 seeds'),
  },
  {
    name: 'a deletion at an upstream service has no room on a full disk of the reserve',
    file: 'lib/upstream/service.ts',
    find: 'storage: withReserve(deps.storage)',
    replace: 'storage: deps.storage',
    ...simulation('does right where the disk is full: 10 seeds'),
  },
  {
    name: 'each attempt at a delivery uses another idempotency key',
    file: 'lib/webhooks/attempt-delivery.ts',
    find: 'const idempotency = { key:',
    replace: 'const idempotency = { key: String(now()) +',
    tests: [
      'test/faults/webhook-crash-points.test.ts',
      'test/lib/webhooks/attempt-delivery.test.ts',
      'test/lib/webhooks/many.test.ts',
    ],
  },
  {
    name: 'an unknown outcome is reported as not applied',
    file: 'infra/workflow/project-task.ts',
    find: 'second.addCatch(failures.Unknown',
    replace: 'second.addCatch(failures.Retryable',
    tests: ['test/infra/workflow/routes.test.ts'],
  },
  {
    name: 'an engine overwrites what a person wrote',
    file: 'lib/hosted/work/translate-language.ts',
    find: 'const isWanted = (!ids || ids.has(id)) && statuses[id - first] === UNTRANSLATED;',
    replace: 'const isWanted = !ids || ids.has(id);',
    tests: ['test/faults/work/work.test.ts'],
  },
  {
    name: 'a deletion ignores its plan',
    file: 'lib/hosted/delete-project.ts',
    find: 'if (removed) requirePlanned(call.planned, removalOf(removed, taskId));',
    replace: 'if (removed) requirePlanned(undefined, removalOf(removed, taskId));',
    tests: ['test/contract/hosted.test.ts'],
    named: 'plan',
  },
  {
    name: 'a change of the work does not check that the work is unchanged',
    file: 'lib/hosted/work/work-change.ts',
    find: "{ kind: 'replace', key: workKey(caller.companyId, id), version: workVersion, data: await encodeWork(work) },",
    replace: "{ kind: 'put', key: workKey(caller.companyId, id), data: await encodeWork(work) },",
    tests: ['test/faults/work/work.test.ts'],
  },
  {
    name: 'the sequence numbers of events have gaps',
    file: 'lib/hosted/work/work-change.ts',
    find: 'sequence: before.sequence + all.length,',
    replace: 'sequence: before.sequence + all.length * 2,',
    tests: ['test/faults/work/work.test.ts'],
  },
  {
    name: 'the number of final translations drifts when they are reopened',
    file: 'lib/hosted/write-translations.ts',
    find: 'return [slot, Number(isFinal(language, characterOf(status))) - Number(before)];',
    replace: 'return [slot, Number(isFinal(language, characterOf(status)) && !before)];',
    tests: ['test/faults/work/work.test.ts'],
  },
  {
    name: 'the translations of a deleted project stay in the store',
    file: 'lib/hosted/work/remove-translations.ts',
    find: 'for (const prefix of [chunkPrefix(projectId), editPrefix(projectId),',
    replace: 'for (const prefix of [editPrefix(projectId),',
    tests: ['test/faults/work/work.test.ts'],
  },
  {
    name: 'the assignments of a deleted project stay in the store',
    file: 'lib/hosted/work/remove-translations.ts',
    find: 'editPrefix(projectId), assignmentPrefix(projectId)]',
    replace: 'editPrefix(projectId)]',
    tests: ['test/faults/work/work.test.ts'],
  },
  {
    name: 'a reopened task is not assigned again',
    file: 'lib/hosted/people/assign-tasks.ts',
    find: '(assignment === undefined || assignment.isDone)',
    replace: 'assignment === undefined',
    tests: ['test/lib/hosted/people/assign-tasks.test.ts'],
  },
  {
    name: 'a translated task is not looked at for proofreading',
    file: 'lib/hosted/work/work-change.ts',
    find: "return language.assignment ? { ...language, assignment: 'due' } : language;",
    replace: 'return language;',
    tests: ['test/faults/work/work.test.ts'],
  },
  {
    name: 'a reader misses translations that are not folded yet',
    file: 'lib/hosted/work/translation-view.ts',
    find: 'const edits = first < next ?',
    replace: 'const edits = first + 1 < next ?',
    tests: ['test/faults/work/work.test.ts'],
  },
  {
    name: 'an e-mail goes to a domain that is not allowed',
    file: 'lib/hosted/people/mail-digests.ts',
    find: "if (!domains.has(address.slice(address.lastIndexOf('@') + 1))) continue;",
    replace: 'if (domains.size === 0) continue;',
    tests: ['test/lib/hosted/people/mail-digests.test.ts'],
  },
];
