import type { ProblemType } from './problems.ts';
import { RETENTIONS } from './retentions.ts';

/** The explanation of a problem type on its page. Backticks mark code. */
export interface Explanation {
  /** When the problem occurs, and what Segue did or stored. */
  readonly cause: string;
  /** What the client or operator should do. */
  readonly remedy: string;
}

/** The explanation of each problem type. It has its own file, so that only the functions that show pages bundle it. */
export const EXPLANATIONS: Readonly<Record<ProblemType, Explanation>> = {
  'malformed-json': {
    cause:
      'Segue cannot read the body as strict JSON. The body is empty or truncated, is not UTF-8, starts with a byte order mark, repeats a key in one object, or is a broken gzip stream. Or it exceeds a limit: 16 levels of nesting (64 in a webhook message), 500,000 values, or 1,000 different field names if it has more than 50,000 fields. A webhook message may be a form. Then it must be valid UTF-8 and may have at most 1,000 fields, each only once. If `payload` is its only field, the JSON in that field can have the faults above. Nothing was created or deleted.',
    remedy:
      'Correct the body and send it again. `errors` names the fault. For a repeated key, the entry has the code `duplicate-key`, and its `pointer` shows where the key is.',
  },
  'invalid-project': {
    cause:
      'The body is valid JSON but not a valid project. A field is missing, unknown, of the wrong type or out of range, or fields contradict each other. `errors` lists the first 100 faults, each with a JSON pointer, a stable code and the expected value. Nothing was stored, and the request did not use up its `Idempotency-Key`.',
    remedy:
      'Correct all faults and send the project again. To check a project without creating it, add `validateOnly=true`.',
  },
  'invalid-translations': {
    cause:
      'The body is valid JSON but not a valid list of translations, or it does not fit the project. An entry has a missing, unknown or wrong field, names an unknown segment or language, or lowers the status of a translation without `reopen`. Or two entries name the same segment and language. `errors` lists the first 100 faults, each with a JSON pointer, a stable code and the expected value. Nothing was written, and the request did not use up its `Idempotency-Key`.',
    remedy: 'Correct all faults and send the translations again.',
  },
  'invalid-language-change': {
    cause:
      'The body is valid JSON but not a valid change of a target language. It must be an object with `state`, and no other field. Nothing was changed, and the request did not use up its `Idempotency-Key`.',
    remedy: 'Send `{ "state": "InProgress" }` or `{ "state": "InPreparation" }`.',
  },
  'invalid-parameter': {
    cause:
      'A query parameter is empty, repeated or malformed, or the URL cannot be decoded. Or a field is missing, unknown or wrong in the input of a workflow’s task, in a manifest line, or in a command that a webhook mapping returned. Or `projectFrom` names an S3 object that does not exist or that Segue has no permission to read. Segue did nothing. If it ignored a wrong `taskId`, it would delete the whole project. If it ignored a wrong `validateOnly`, it would create a project.',
    remedy:
      'Each entry of `errors` names a wrong parameter or field and what it accepts. Correct it and send the request again. If there are no `errors`, `detail` says what is wrong.',
  },
  'unknown-parameter': {
    cause:
      'The query has a parameter that a request with this method and path cannot have. Names are case-sensitive. Segue did nothing: a misspelt `taskId` must never delete a whole project, and a misspelt `validateOnly` must never create one.',
    remedy:
      'Each entry of `errors` names an unknown parameter and lists the accepted ones under `allowed`. Correct the name or remove the parameter.',
  },
  'unexpected-body': {
    cause:
      'The request has a body, but a request with this method and path must have none. Segue did nothing. If it ignored the body, it would also ignore a `taskId` in the body, and delete the whole project.',
    remedy: 'Send the request without a body. Segue reads only its path and query.',
  },
  'invalid-header': {
    cause:
      'A header is invalid, and `detail` says which. A request may have only one `Idempotency-Key` header, with 1 to 255 visible ASCII characters, quoted or bare. A deletion may have `If-Match` only with its plan, and none of `If-None-Match`, `If-Modified-Since` and `If-Unmodified-Since`. The headers must be valid HTTP and, with the request line, have at most 10,240 bytes on AWS or 16 KB with `npm start`. If `detail` names the firewall, a firewall in front of the API rejected the request for one of four reasons. The request has no `User-Agent`, one of its headers looks like an attack, or your address has a bad reputation or sends too many requests. Segue did nothing.',
    remedy:
      'Correct the header and send the request again. If `detail` names the firewall, check that the request has a `User-Agent`. If it has one, send the request id in `instance` to the operator of Segue.',
  },
  'invalid-token-request': {
    cause:
      'A request to `POST /oauth/token` is invalid, and `error_description` says why. The body is not a form, `grant_type` is missing, a field is there twice, or both the header `Authorization` and the form have credentials. The answer has the form of RFC 6749, with the error `invalid_request`. Segue did nothing.',
    remedy:
      'Send a form (`application/x-www-form-urlencoded`) with `grant_type=client_credentials`. Send the company id and the API key with Basic authentication, or as `client_id` and `client_secret` in the form.',
  },
  'unsupported-grant-type': {
    cause:
      'A request to `POST /oauth/token` has a `grant_type` other than `client_credentials`. The answer has the form of RFC 6749, with the error `unsupported_grant_type`. Segue did nothing.',
    remedy:
      'Configure your OAuth client for the client credentials grant. It has no refresh tokens: when a token expires, the client obtains another.',
  },
  'invalid-scope': {
    cause:
      'A request to `POST /oauth/token` asks in `scope` for something that the API key does not have, or does not separate scopes by one space. The answer has the form of RFC 6749, with the error `invalid_scope`. Segue issued no token.',
    remedy:
      'Ask only for scopes that the key has; `error_description` lists them. Without `scope`, the token has all of them. For more scopes, ask the operator of Segue for another key.',
  },
  unauthenticated: {
    cause:
      'The credentials are missing, have a form that Segue does not know, or are wrong; `detail` says which of the three. Wrong means that the key is unknown, revoked, expired, belongs to another company, or is used from an address outside its networks, or that the token is malformed or expired. Segue does not say which part is wrong. Segue did nothing.',
    remedy:
      'Send `Authorization: Basic base64("<COMPANY_ID>:<API_KEY>")`, `Authorization: Bearer <API_KEY>`, or `Authorization: Bearer <ACCESS_TOKEN>` with a token that has not expired. `POST /authentication/token` issues a new token, valid for 30 minutes. Send the header only once. Some operations that issue tokens take only some of these forms, and `detail` says which. `POST /oauth/token` reports this problem as the OAuth error `invalid_client`.',
  },
  'invalid-signature': {
    cause:
      'The webhook signature is missing, repeated or wrong. It must be the signature that the scheme of the source describes, under an active secret of the source. Most schemes sign the exact bytes of the body, many of them together with an id or a time. With the scheme `token`, the secret itself must be right. If the signature scheme includes a time, that time must be within 5 minutes of Segue’s clock. Segue does not tell the sender which check failed, and did not process the message.',
    remedy:
      'Sign what the scheme of the source says (`segue source list`) with the current secret, and sign each attempt anew. Check that the sender’s clock is right. The operator can find the failed check in Segue’s log, in the field `signature` of the line of the message. On one machine, the log is in the terminal of `npm start`.',
  },
  'company-suspended': {
    cause:
      'The operator of this Segue has suspended the company. Requests with valid credentials of the company get this problem. Its webhook messages and workflows get it too. Wrong credentials get `unauthenticated`. `POST /oauth/token` reports this problem as the OAuth error `unauthorized_client`. Segue did nothing.',
    remedy:
      'Ask the operator to resume the company. If Segue accepted a webhook message before the suspension but had not run it, the message becomes a dead letter. You can redrive it after the company is resumed. If Segue rejected a message, its sender must send it again.',
  },
  'scope-missing': {
    cause:
      'The credentials are valid, but the key or webhook source lacks the scope that `detail` names: `create`, `read`, `update`, `delete`, `translate` or `manage`. A put needs `create` or `update`, and `delete` if it would remove a segment or a target language. Segue did nothing.',
    remedy:
      'Use a key that has the scope, or ask the operator for one. `segue source change --scopes` sets the scopes of a webhook source.',
  },
  'project-not-found': {
    cause: `The company has no project with this id or custom id. The project never existed, belongs to another company, or was deleted. If it was deleted through Segue in the last ${RETENTIONS.tombstone.days} days, \`deletedAtUtc\` is the time of the deletion. An id that is not a positive integer in plain decimal names no project either. Segue did nothing.`,
    remedy:
      'Check the id. Percent-encode a custom id once in a path: `a/b` becomes `a%2Fb`. If you are retrying a deletion whose answer was lost, the project is gone, as you wanted.',
  },
  'task-not-found': {
    cause:
      'The project exists, but has no task with this `taskId`. Task ids are compared exactly. Nothing was deleted.',
    remedy:
      'Get the project without `taskId`. Its task ids are the `taskId` of the project itself and of each segment. If you are retrying a deletion whose answer was lost, the task is gone, as you wanted.',
  },
  'language-not-found': {
    cause:
      'The project has no target language with the code in the path. Codes are compared without regard to case. Segue did nothing.',
    remedy: 'Get the project, and use the `targetLanguageCode` of one of its `targetLanguages`.',
  },
  'operation-not-found': {
    cause: `The company has no operation with this id. The operation never existed, belongs to another company, or is too old. Segue keeps an operation for ${RETENTIONS.idempotencyKey.days} days after its request, for ${RETENTIONS.webhookKey.days} if a webhook message or a workflow made it, and for ${RETENTIONS.bulkLine.days} if a manifest line did.`,
    remedy:
      'Use the `operationId` or the `Location` header of the answer to your creation or deletion. If you have neither, get the project by its custom id, or find it in the list of projects.',
  },
  'source-not-found': {
    cause:
      'No webhook source has the name at the end of the path. The source never existed or was removed, or the name is not valid. Segue gives the same answer in all three cases, and did nothing.',
    remedy:
      'Compare the sender’s URL with the one that `segue source add` printed. If the source was removed, turn off the webhook at the sender, because the sender retries for days.',
  },
  'company-not-found': {
    cause:
      'A workflow or a bulk run names a company that does not exist. HTTP requests never get this problem, because their company comes from the credentials. Segue did nothing.',
    remedy:
      'Compare the company id in the state machine’s definition with `segue company list`. For a new company, run `segue company add` first.',
  },
  'route-not-found': {
    cause:
      'The API has no such path. Or the path is `/problems/{type}` with an unknown problem type. Paths are case-sensitive. Segue did nothing.',
    remedy: 'Compare the path with those that `GET /docs` shows. Write a `/` inside a custom id as `%2F`.',
  },
  'method-not-allowed': {
    cause:
      'The path exists but does not support this method. Every path with GET supports HEAD, and none supports OPTIONS. Segue did nothing.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  'not-acceptable': {
    cause:
      '`Accept` excludes every media type that Segue can answer this request with: `application/json`, and for problem pages `text/html` too. Or the answer is too large to send uncompressed and `Accept-Encoding` excludes `gzip`. Or an unpaged list does not fit into one answer. Or a project has too many tasks to show the progress of each. Or one segment has too many long translations. Segue checks this before it changes anything. Nothing was stored.',
    remedy:
      'Accept `application/json` and `gzip`, and send the request again. Get a long list in pages, with `limit`, a large project or its progress task by task, with `taskId`, and long translations language by language, with `languageCode`.',
  },
  'custom-id-in-use': {
    cause:
      'Another project of the company has this `customId`. A custom id belongs to one project at a time. Nothing was stored.',
    remedy:
      'First get that project by its custom id. You may have created it with an earlier request whose answer you did not get. To change that project, put it: send the same body with `PUT /segments/projects/custom/{customId}`. Otherwise use another custom id, or delete that project. The deletion frees the custom id at once.',
  },
  'revision-outdated': {
    cause:
      'The deletion has a `revision` that is lower than the highest one of the project: a later version of the project has arrived before this message. Nothing was deleted.',
    remedy:
      'Drop the deletion if it is a late message. To delete the project as it is now, send the deletion with a higher `revision`, or without one.',
  },
  'translation-changed': {
    cause:
      'An entry has `ifVersion`, and the translation has another version now: somebody else has written it. Each entry of `errors` points to such an `ifVersion`, and has the current version in `currentVersion`. Nothing was written, not even the other entries, and the request did not use up its `Idempotency-Key`.',
    remedy:
      'Read the translations again, decide what to keep, and send the entries with the current versions. To replace a translation without looking at it, leave `ifVersion` out.',
  },
  'request-in-progress': {
    cause:
      'Segue is still working on the first request with this `Idempotency-Key`, or on another creation with the same custom id. The outcome of that request is not known yet. This request did nothing.',
    remedy:
      'Wait for the time in `Retry-After`, then send the same request with the same key. Segue then returns the result of the first request, as it stands then. With a new key, Segue could run the request twice. If the other request creates a project with the same custom id, wait, and then get the project by its custom id.',
  },
  'project-deleted': {
    cause:
      'The first request with this `Idempotency-Key` created or changed a project that has since been deleted. A late retry never creates it again, so this request did nothing.',
    remedy: 'To create the project again, use a new key.',
  },
  'events-expired': {
    cause: `The feed has no event with the id in \`after\`. The event is older than ${RETENTIONS.event.days} days, or the company never had an event with this id. Events after it may be missing from the feed, so Segue returned none.`,
    remedy:
      'Read the present state of your projects, for example with `GET /segments/projects`. Then read the feed without `after`, from the oldest event that it keeps, and continue from there.',
  },
  'page-outdated': {
    cause:
      'The project changed after the answer that the `cursor` comes from: a translation was written, a task was deleted, or the state of a language changed. The pages of one list of segments always show one state of the project, so Segue does not continue the list. Nothing was changed.',
    remedy: 'Request the first page again, without `cursor`. Drop the pages that you got before.',
  },
  'plan-outdated': {
    cause:
      'The deletion or put has the header `If-Match` with a plan, and it would not do what the plan shows: another request changed the project or deleted a task meanwhile, the custom id names another project now, or the plan belongs to another request. `errors` has each difference. Nothing was changed.',
    remedy: 'Request the plan again, look at what it shows, and send the request with the new plan.',
  },
  'too-large': {
    cause:
      'The JSON body, a manifest line, or the object that a workflow task reads exceeds 4 MiB (4,194,304 bytes) after decoding. Sign-in and refresh bodies are limited to 8,192 bytes, before and after decoding, and webhook messages to 256 KiB (262,144 bytes). Or the request exceeds the limit of Amazon API Gateway (10 MiB) or of AWS Lambda (6 MiB, with the body in base64). `npm start` applies both too. Or the project, with the custom id that Segue gives it at the upstream service, is larger than that service accepts. Nothing was stored.',
    remedy:
      'Split the content into several projects. If a webhook message is too large, make its sender send smaller messages, or create the project over HTTP.',
  },
  'unsupported-media-type': {
    cause:
      'The headers describe a body that is not JSON in UTF-8, or that has a content coding other than gzip. `POST /oauth/token` takes a form in UTF-8 instead. Nothing was stored.',
    remedy:
      'Send `Content-Type: application/json` (or `application/*+json`), and `application/x-www-form-urlencoded` to `POST /oauth/token`. Set `Content-Encoding` to `gzip` if the body is gzip-encoded; leave it out otherwise.',
  },
  'idempotency-key-reused': {
    cause:
      'An earlier request with this `Idempotency-Key` had different content or another path, or was of another kind, such as a deletion instead of a creation. If the first request created a project that still exists, `errors` points to the differences. Segue compares `endDateUtc`, but not `startDateUtc`. For webhooks there are two causes. An earlier message with this `webhook-id` had a different body. Or the mapping was changed before a dead letter was redriven. The changed mapping no longer returns a command that ran, or may have run, for this message. This request did nothing.',
    remedy:
      'For a new request, use a new key. For a retry, send exactly the first request with the same key: with a new key, Segue could run the request twice. A webhook sender must give each message its own id, and repeat a message byte for byte. If a changed mapping causes the problem, make it return the missing command unchanged, and redrive the dead letter. Or drop the dead letter (`segue dead-letters drop`).',
  },
  'mapping-failed': {
    cause:
      'Segue received a webhook message, but could not map it to commands. The mapping has an error, fails for this message, or returned a result that is too large or not JSON. Or it exceeded its time or memory limit in three attempts. Or the source was removed in the meantime. No HTTP answer has this problem; the message is in the list of dead letters. The failed attempt ran no command.',
    remedy:
      'Test the mapping with a sample (`segue source test`), correct it, and process the dead letter again (`segue dead-letters redrive`). If the mapping has an error, `detail` gives its line and column.',
  },
  'fetch-failed': {
    cause:
      'The webhook source of a message fetches an entry before it maps the message, and Segue did not get the entry. The content system refused the request, or gave no JSON, too much, or a redirect to another host. Or the fetch expression returned a URL that is not allowed. If the content system did not answer, or answered 408, 425, 429 or from 500 on, Segue tries again for a day before the message becomes a dead letter. After a 404, it tries again for 10 minutes. No HTTP answer has this problem; the message is in the list of dead letters. The failed attempt ran no command.',
    remedy:
      'Read `detail`. Correct the URL, the hosts or the secret of the fetch with `segue source change`, and test it with `segue source test --fetch`. Then process the dead letter again (`segue dead-letters redrive`). This fetches the entry again.',
  },
  'rate-limited': {
    cause:
      'The company exceeds its request rate; sign-ins and refreshes count too. The default on AWS is 50 requests a second with bursts of 100. `npm start` has no such limit unless `SEGUE_RATE` is set. On AWS, a firewall may also limit the requests of your address that need no credentials, such as sign-ins and webhook messages. With `npm start` there are two more causes: your address sends too many wrong credentials, or the request waited too long for memory. `detail` names the cause. Segue did nothing: the request did not use up its `Idempotency-Key` or refresh token.',
    remedy:
      'Wait for the time in `Retry-After`, then send the same request again. From then on, send fewer requests at once. If your address sends too many wrong credentials, find the client that sends them. Until it stops, Segue still accepts valid tokens, and credentials that it has accepted since its last start. It may refuse other valid credentials.',
  },
  'quota-exceeded': {
    cause:
      'The operator limits how many projects the company may create in a day, and the company has created as many today. A day begins at 00:00 UTC. Deleted projects count; repeated requests, refused requests and `validateOnly=true` do not. This is not the rate of requests, which has the problem `rate-limited`. Segue did nothing: the request did not use up its `Idempotency-Key`.',
    remedy:
      'Send the same request again after the time in `Retry-After`, which is the time until the next day. Or ask the operator for a higher limit (`segue company limits`). `GET /daily-limits` shows the limits and today’s use. Requests other than creations still work.',
  },
  'team-without-translator': {
    cause:
      'A target language has a team with a proofreader but no translator. The contract assigns status 500 to this fault, even if the project has other faults, and with `validateOnly=true` too. The fault is in the request, not in the server. Nothing was stored, and the request did not use up its `Idempotency-Key`.',
    remedy:
      'Do NOT retry: the same request always fails. Add a translator to the team, or remove the proofreader. `errors` lists this fault and all others.',
  },
  'content-lost': {
    cause:
      'The hosted service still has the record of the project, but not its content. This happens after the operator restored an older state of the database. Content that was deleted or replaced since then is lost. Lists may still show the project. Nothing was changed.',
    remedy:
      'Delete the project, and create it again. The deletion frees its custom id. If the operator has restored no database, report the request id to the operator.',
  },
  'internal-error': {
    cause:
      'Segue itself has a fault. Segue logs the cause but never puts it into an answer. It is not known whether Segue ran the request.',
    remedy:
      'Before you repeat a creation or deletion, check whether the project exists. If the request had an `Idempotency-Key`, you need no check: send the request again with the same key, and it runs only once. Send the request id in `instance` to the operator of Segue.',
  },
  'not-supported': {
    cause:
      'The project service behind Segue does not have this operation. Only the hosted service of Segue does, which keeps the work on a project itself. Or a put would change a project, which an upstream service cannot do. Or the request is a lookup: only an upstream service has its list, the operator must allow it, and the company needs an account of its own. Segue did nothing.',
    remedy:
      'Use the tools of the upstream service, or ask the operator of Segue for a hosted service. To replace a project, delete it and put it again: the upstream service then starts all its work anew. In place of a lookup, send an id that you know.',
  },
  'upstream-refused': {
    cause:
      'The request is valid under the contract, but the upstream service rejected it for a reason of its own. Or the upstream service answered a deletion with 404, but still shows the project or task after the settle time: 60 seconds, unless the operator changed it. If the upstream service names the faulty fields in the format of this API, `errors` lists them. The request was not carried out.',
    remedy:
      'Correct the fields in `errors`. If there are none, send the request id in `instance` to the operator of Segue: the connection to the upstream service may be set up wrongly.',
  },
  'upstream-invalid': {
    cause:
      'The upstream service broke the contract in its answer to a read. It returned no project, or a different project. Or the request names a `taskId`, and the upstream service does not show every task id of the project, so Segue cannot tell whether the task exists. Segue reads a project before it deletes anything: if that read fails with this problem, nothing is deleted. If `GET /operations/{operationId}` returns this problem for the deletion of a task, Segue sent the deletion, but the upstream service no longer shows every task id of the project. The task may be gone.',
    remedy:
      'The upstream service has to change: send the request id in `instance` to the operator of Segue. Read the project before you request another change to it.',
  },
  'upstream-unavailable': {
    cause:
      'Segue cannot reach the upstream service, or the service accepts no requests now, or it rejects Segue’s account. Or it failed or timed out during a read. Nothing was created or deleted.',
    remedy: 'Wait for the time in `Retry-After`, then send the same request again.',
  },
  unavailable: {
    cause:
      'Segue cannot reach its store or a secret at the moment, or the request ran out of time. Nothing was stored.',
    remedy: 'Wait for the time in `Retry-After`, then send the same request again.',
  },
  'outcome-unknown': {
    cause:
      'Segue does not know whether the request was carried out. The answer of the upstream service was lost, late, unreadable or too large, and reading the project did not show the outcome. Or Segue’s database did not confirm the change, or the request ran out of time. An operation fails with this problem for one of three reasons. After a creation, the upstream service has a project with this custom id but other content, so Segue cannot know whether the request created it. After a deletion, another project has the id of the deleted project. Or every check at the upstream service failed until Segue’s record of the request expired, and Segue gave up.',
    remedy:
      'If the problem has an `operationId`, poll `GET /operations/{operationId}` (also in `Location`) until its `status` is `done` or `failed`. If there is no such operation, repeat the request with the same `Idempotency-Key`. If the operation failed with this problem, ask the operator of Segue what the upstream service shows: the project may have been created or deleted. Without an `operationId`, find the project by its custom id or in the list before you repeat a creation; you can repeat a deletion by id at once. While the `status` is `running`, you can repeat the request with the same `Idempotency-Key`: it runs only once. After the operation has failed, Segue runs a repeated request as a new one, even with the same key. A repeated creation can then create a second project.',
  },
};
