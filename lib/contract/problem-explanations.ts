import type { ProblemType } from './problems.ts';
import { RETENTIONS } from './retentions.ts';

/** What a problem's page tells people beside its entry of the catalogue. Backticks are around what is code. */
export interface Explanation {
  /** When it happens, and what was done or written. */
  readonly cause: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** The words of the pages. In a file of their own, for pages and descriptions: no other function's bundle has them. */
export const EXPLANATIONS: Readonly<Record<ProblemType, Explanation>> = {
  'malformed-json': {
    cause:
      'The body cannot be read as strict JSON: it is empty or breaks off, is not UTF-8, begins with a byte order mark, has a key twice in one object, is nested more than 16 levels deep, has more than 500,000 values, has more than 50,000 fields with more than 1,000 different names, or is a gzip stream that is broken. The form of a webhook’s message can be as unreadable. Nothing of it was used, and nothing was written.',
    remedy:
      'Correct the body and send it again. `errors` says which of these it is, and of a key that stands twice where.',
  },
  'invalid-project': {
    cause:
      'The body is JSON, but as a project it breaks rules of the contract: a field is missing, unknown, of the wrong type or outside its limits, or fields do not go together. `errors` lists the first 100 faults at once, each with its JSON pointer, a stable code and what would be right. Nothing was written, and an `Idempotency-Key` stays free.',
    remedy:
      'Correct all faults and send the project again. To see the faults of a project without creating it, send it with `validateOnly=true`.',
  },
  'invalid-parameter': {
    cause:
      'A parameter of the query is empty, repeated or ill-formed, the URL cannot be decoded, or a field of a workflow task’s input is missing, unknown or wrong, or names an object that is not there or may not be read. Nothing was done, because a lost value must never widen a request: neither a task to the whole project, nor a check to a creation.',
    remedy:
      'Each entry of `errors` says which parameter it is and what it takes. Correct them and send the request again.',
  },
  'unknown-parameter': {
    cause:
      'The query has a parameter that this operation does not take. Names are exact, upper and lower case too: a misspelt `taskId` must never delete a whole project, nor a misspelt `validateOnly` make one. Nothing was done.',
    remedy:
      'Each entry of `errors` names one, with all that the operation takes under `allowed`. Correct the name or leave it out.',
  },
  'unexpected-body': {
    cause:
      'The request has a body, and this operation takes none. Nothing was done: were a body passed over, a `taskId` in it would be lost, and the whole project deleted.',
    remedy: 'Send the request without a body. What it should do stands in its path and its query alone.',
  },
  'invalid-header': {
    cause:
      'The `Idempotency-Key` is given more than once, or is not 1 to 255 visible ASCII characters, quoted or bare. Or a delete carries `If-Match`, `If-None-Match`, `If-Modified-Since` or `If-Unmodified-Since`, which are not supported. A request that is no well-formed HTTP, or whose headers are larger than the gateway takes, is answered so too. A firewall in front of the API also answers so; `detail` then says so. It refuses a request without `User-Agent`, with a header that looks like an attack, from an address of ill repute, or from an address that sends too many requests. Nothing was done.',
    remedy:
      'Correct the header and send the request again. If a firewall refuses a request that has a `User-Agent`, give the operator of Segue the request id in `instance`.',
  },
  unauthenticated: {
    cause:
      'The credentials are missing or wrong: the key is unknown, revoked or another company’s, or the token is malformed or has expired. Segue does not say which part is wrong. Nothing was done.',
    remedy:
      'Send `Authorization: Basic base64("<COMPANY_ID>:<API_KEY>")`, `Authorization: Bearer <API_KEY>`, or `Authorization: Bearer <ACCESS_TOKEN>` with a token that has not expired. `POST /authentication/token` gives a new token for 30 minutes. Send the header once. The two operations that give tokens accept less: `detail` names it.',
  },
  'invalid-signature': {
    cause:
      'The signature of the webhook is missing, is given twice, or was not made with a live secret of its source over these very bytes; or it was made more than 5 minutes before or after now. Which of these it was is not said. Nothing of the message was read, and nothing was done.',
    remedy:
      'Sign the exact bytes of the body with the current secret, at the time of sending and not once for all attempts. Compare scheme and secret with those of the source, and the sender’s clock with the time.',
  },
  'company-suspended': {
    cause:
      'The operator of this Segue has suspended the company. Webhooks and workflows of the company get this problem; over HTTP its keys and tokens get `unauthenticated`. Nothing was done.',
    remedy:
      'Ask the operator, who can resume the company. Webhook messages that arrived before are dead letters and can be redriven then; a refused message has to be sent again.',
  },
  'scope-missing': {
    cause:
      'The caller has proved itself, but its key or webhook source lacks the scope that `detail` names: `create`, `read` or `delete`. Nothing was done.',
    remedy:
      'Use a key that has the scope, or ask the operator for one. A webhook source has the scopes that `segue source add --scopes` gave it.',
  },
  'project-not-found': {
    cause:
      'The company has no project with this id or custom id: it never existed, belongs to another company, or was deleted; then `deletedAtUtc` says when, as long as that is known. An id that is no positive integer in plain decimal names no project either. This request did nothing.',
    remedy:
      'Check the id; a custom id is percent-encoded once in a path, so that `a/b` is `a%2Fb`. To a deletion that is sent again because its first answer was lost, this is good news: the project is gone.',
  },
  'task-not-found': {
    cause:
      'The project exists, but no task of it has this `taskId`; ids of tasks are compared exactly. Nothing was deleted.',
    remedy:
      'Get the project without `taskId`: its tasks are the ones its segments name, and its own. To a deletion that is sent again because its first answer was lost, this is good news: the task is gone.',
  },
  'operation-not-found': {
    cause: `The company has no operation with this id: no creation or deletion has it, it is another company’s, or its request was sent more than ${RETENTIONS.idempotencyKey.days} days ago (${RETENTIONS.webhookKey.days} for webhook messages and workflow tasks, ${RETENTIONS.bulkLine.days} for manifest lines).`,
    remedy:
      'Take the id from the `Location` of the answer that said where to ask. To learn about a project without it, look it up by its custom id, or in the list.',
  },
  'source-not-found': {
    cause:
      'No source of webhooks has the name that the path ends with: it never was, was removed, or cannot be a name. All of these are answered alike, and nothing was done.',
    remedy:
      'Compare the URL at the sender with the one that `segue source add` printed. For a source that was removed, end the webhook at its sender, which would try again for days.',
  },
  'company-not-found': {
    cause:
      'A workflow or a bulk run names a company that does not exist. Over HTTP the company comes from the credentials, so no request ends in this problem. Nothing was done.',
    remedy:
      'Compare the company id in the definition of the state machine with `segue company list`. For a new company, run `segue company add` first.',
  },
  'route-not-found': {
    cause:
      'There is nothing at this path: it belongs to no operation, or names a problem type that there is not. Paths are exact, upper and lower case too. Nothing was done.',
    remedy:
      'Compare the path with the list of operations. A `/` inside a custom id is written `%2F`, or it divides the path.',
  },
  'method-not-allowed': {
    cause:
      'The path exists, but does not take this method. HEAD works wherever GET does; no path takes OPTIONS. Nothing was done.',
    remedy: 'Use one of the methods that the `Allow` header lists.',
  },
  'not-acceptable': {
    cause:
      '`Accept` takes no type that a success of this operation has, which is `application/json`, and for the pages of problems `text/html` too; or the answer is too large to be sent as it is, and `Accept-Encoding` does not take `gzip`; or a whole list does not fit into one answer. This is found out before anything is done, and nothing was written.',
    remedy:
      'Accept `application/json` and `gzip`, and send the request again. Request a list that is too large in pages, with `limit`, and a project that is too large task by task, with `taskId`.',
  },
  'custom-id-in-use': {
    cause:
      'An existing project of the company has this `customId`, and a custom id names one project only. Nothing was written.',
    remedy:
      'Get that project by its custom id first: it may be the one that an earlier attempt made whose answer was lost. If it is not, use another custom id, or delete that project, which frees its custom id at once.',
  },
  'request-in-progress': {
    cause:
      'The first request with this `Idempotency-Key`, or another one that creates a project with the same custom id, is still being worked on, so what becomes of it cannot be told yet. This request did nothing.',
    remedy:
      'Wait as long as `Retry-After` says, then send the same request with the same key again: it gets what the first one got. With a new key it could be done twice.',
  },
  'project-deleted': {
    cause:
      'The first request with this `Idempotency-Key` made a project, and that project has been deleted since. A late retry never makes it again, so this request did nothing.',
    remedy: 'If the project is wanted again, create it with a new key.',
  },
  'too-large': {
    cause:
      'The body has more than 4 MiB (4,194,304 bytes) of JSON after decoding, or the object that a workflow task reads has. For a sign-in or a refresh the limit is 8,192 bytes, as sent and after decoding; for a webhook message it is 256 KiB (262,144 bytes). Or the body is larger than the gateway takes, or the project, with a custom id of Segue’s, is larger than the service behind Segue takes. Nothing was written.',
    remedy:
      'Divide the content among several projects. Have a webhook’s sender say less, or create the project over HTTP.',
  },
  'unsupported-media-type': {
    cause:
      'The body is said to be something else than JSON in UTF-8, or is encoded otherwise than with gzip. Nothing was written.',
    remedy:
      'Send `Content-Type: application/json` (or `application/*+json`). `Content-Encoding` must be `gzip`, with a gzip-encoded body, or absent.',
  },
  'idempotency-key-reused': {
    cause:
      'This `Idempotency-Key` was used for another request: other content, another operation or another path. `errors` points to what differs, as long as the first request’s project exists; `startDateUtc` is not compared, `endDateUtc` is. Or the message of a webhook has the `webhook-id` of one that was taken in with another body. Or a dead letter says it: the mapping of a webhook no longer gives a command that was carried out. This request did nothing.',
    remedy:
      'For a new request use a new key. If it was meant as a retry, send what was sent first: with a new key it could be done twice. A webhook’s sender gives each message an id of its own, and sends it again byte for byte.',
  },
  'mapping-failed': {
    cause:
      'A message of a webhook was received and nothing came of it: its source’s mapping has an error, fails with this message, takes more time or memory than a mapping may in three attempts, or gives something that is no JSON; or the source was removed meanwhile. No request over HTTP is answered so: the message is in the list of dead letters. Nothing was written.',
    remedy:
      'Try the mapping with a sample by `segue source test`, correct it, and let the dead letter be worked on again by `segue dead-letters redrive`. If the mapping has an error, `detail` says where: line and column are those of the mapping’s text.',
  },
  'rate-limited': {
    cause:
      'The company sends more requests than its rate allows; sign-ins and refreshes count too. On AWS the default is 50 requests a second in bursts of 100; `npm start` has no such limit without `SEGUE_RATE`. Or one address sends too many wrong credentials to `npm start`, or a request waited there too long for memory: `detail` says which. Nothing was done: an `Idempotency-Key` stays free, and a refresh token unused.',
    remedy:
      'Wait as long as `Retry-After` says, then send the same request again, and send fewer at once from then on. If your address sends too many wrong credentials, find the client that sends them. Access tokens, and keys that were good before, still work meanwhile. A new key has to wait until the wrong ones stop.',
  },
  'team-without-translator': {
    cause:
      'A team of a target language has a proofreader and no translator. The contract answers this rule with 500, whatever else is wrong, and a check with `validateOnly=true` too. It is a fault of the request, not of the server. Nothing was written, and an `Idempotency-Key` stays free.',
    remedy:
      'It must NOT be retried: the same request fails for ever. Give the team a translator, or no proofreader. `errors` lists this fault and every other one that was found.',
  },
  'internal-error': {
    cause:
      'A fault of Segue itself; its cause is in its log and never in an answer. It cannot be told whether the request was carried out before.',
    remedy:
      'Look at the project before sending a creation or deletion again. One with an `Idempotency-Key` may be sent again with the same key: it is carried out once. Give the operator of Segue the request id in `instance`.',
  },
  'upstream-refused': {
    cause:
      'The request kept every rule of the contract, and the service behind Segue refused it for a reason of its own, or it answered 404 to a deletion and the project can still be read after the settle time. Where the service speaks this contract and named fields, `errors` lists them. The request was not carried out.',
    remedy:
      'Correct what `errors` lists. Without that, ask the operator of Segue, with the request id in `instance`: the reason may be in how the service is connected.',
  },
  'upstream-invalid': {
    cause:
      'The service behind Segue answered a reading with something else than the contract says: no project, another project than it was asked for, or a list that cannot be followed. A deletion that begins with such a reading goes no further, and deletes nothing. If the operation of a task’s deletion fails with this problem, the service does not show the project’s tasks after the deletion: the task may be gone.',
    remedy:
      'It is the service that must change: give the operator of Segue the request id in `instance`. Read the project before asking for a change of it again.',
  },
  'upstream-unavailable': {
    cause:
      'The service behind Segue cannot be reached, takes no requests now, or does not accept the account that Segue has there; or it failed or was too slow while it was only being read. Nothing was created or deleted.',
    remedy: 'Wait as long as `Retry-After` says, then send the same request again.',
  },
  unavailable: {
    cause:
      'The store or a secret that Segue needs cannot be reached now, or there was not enough time for the request. Nothing was written.',
    remedy: 'Wait as long as `Retry-After` says, then send the same request again.',
  },
  'outcome-unknown': {
    cause:
      'The request may have been carried out or not: the answer of the service was lost on its way, came too late, could not be read or was too large to be passed on, and reading did not tell either. An operation fails with this problem for one of three reasons. After a creation, the service has a project with the custom id and other content, and Segue does not know whether it made it. After a deletion, another project has the id of the deleted one. Or every lookup failed until the key expired, and Segue gave up the creation or deletion.',
    remedy:
      'Where the problem has an `operationId`, ask `GET /operations/{operationId}`, which is its `Location` too, until it is `done` or `failed`. If it failed with this problem, ask the operator of Segue what the service shows: the project may have been created or deleted. Without an `operationId`, look the project up, by its custom id where it has one and else in the list, before sending a creation again; a deletion by id may be sent again at once. A request with an `Idempotency-Key` may be sent again with the same key while its operation is open: it is carried out once. After the operation failed, the key is free, and the same key can create a second project.',
  },
};
