/** The logs that a query reads: of all functions, of the background functions, or of the API. */
type QueriedLogs = 'functions' | 'background' | 'api';

/** A query of CloudWatch Logs Insights that a stack saves. */
export interface SavedQuery {
  /** The name of the query in CloudWatch. */
  readonly name: string;
  /** The question that the query answers. */
  readonly question: string;
  readonly logs: QueriedLogs;
  /** The commands of the query. */
  readonly commands: readonly string[];
}

/** The lines of Lambda for a function that it ended, or that threw. */
const ENDED = '/Task timed out|Runtime exited|Uncaught Exception|Invoke Error/';

/**
 * The questions that operators ask most. `api` means the access log. Without it, the functions behind the API have the same
 * fields, but no line of a request that reaches no function.
 */
export const SAVED_QUERIES: readonly SavedQuery[] = [
  {
    name: 'what happened to a request',
    question: 'What happened to a request? Replace ID by its request id, trace id or delivery id.',
    logs: 'functions',
    commands: [
      'fields @timestamp, operation, requestId, traceId, companyId, status, problem, cause.name, cause.code, durationMs, @message',
      'filter @message like "ID"',
      'sort @timestamp asc',
      'limit 200',
    ],
  },
  {
    name: 'errors and alerts',
    question: 'Which errors and alerts were there, in which function? Choose the last hour as the time range.',
    logs: 'functions',
    commands: [
      `filter level = "error" or ispresent(alert) or @message like ${ENDED}`,
      // A line of Lambda does not name its function, and functions share logs. The name of the line's stream does.
      'parse @logStream /(?<functionName>[A-Za-z][\\w-]*)\\[/',
      'stats count(*) as lines, max(@timestamp) as last by operation, alert, problem, cause.name, cause.code, functionName',
      'sort lines desc',
    ],
  },
  {
    name: 'companies with most requests',
    question: 'Which company sends the most requests, and which gets the most 4xx and 429?',
    logs: 'api',
    commands: ['stats count(*) as requests by companyId, status', 'sort requests desc', 'limit 50'],
  },
  {
    name: 'slowest requests',
    question: 'Which requests were slowest, and where did the time go?',
    logs: 'api',
    commands: [
      'filter ispresent(status)',
      'fields @timestamp, durationMs, functionMs, authorizerMs, method, route, operation, status, companyId, requestId',
      'sort durationMs desc',
      'limit 50',
    ],
  },
  {
    name: 'waiting work',
    question:
      'What waits in the background: how many items, how old is the oldest, and how many dead letters are there?',
    logs: 'background',
    commands: [
      'filter ispresent(oldestMs)',
      'stats latest(left) as waiting, latest(oldestMs) as age, latest(letters) as deadLetters by operation',
      'sort age desc',
    ],
  },
];

/** Returns the text of a query. */
export function queryText({ commands }: SavedQuery): string {
  return commands.join('\n| ');
}
