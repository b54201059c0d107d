import { RETENTIONS } from '../../lib/contract/retentions.ts';
import { MOST_INLINE_BYTES } from '../../lib/storage/dynamodb/payload.ts';
import { type Amounts, ASSUMED_MS, amountsOf, keptForAMonth, NAMES, times, usd } from './cost/bill.ts';
import { listUnits, OPERATIONS, type OperationName, objectLife } from './cost/capacity.ts';
import { LIST, PRICES, priceOf } from './cost/prices.ts';
import { LISTED, PROJECTS, type StoredProject } from './cost/projects.ts';
import { FIREWALL, STANDING } from './cost/standing.ts';
import { table } from './table.ts';

/** `docs/cost.md`: what the hosted service takes of AWS, and what that costs. */
export function costPage(): string {
  return `${[
    '<!-- Made by `npm run docs` from scripts/docs/cost. Edit that. -->',
    '# Cost',
    INTRODUCTION,
    '## Prices',
    PRICES_TEXT,
    table(
      ['of', 'US$', 'AWS’s list', 'found again'],
      NAMES.map(priceOf).map(({ what, usd, page, found = '' }) => [
        what,
        priceText(usd),
        `[${page}](https://aws.amazon.com/${page}/)`,
        found,
      ]),
    ),
    '## Capacity of an operation',
    CAPACITY,
    table(
      ['project', 'operation', 'write units', 'read units', 'S3 PUT, LIST', 'S3 GET'],
      everyOperation((project, operation) => {
        const { writeUnits, readUnits, objectPuts, objectGets } = OPERATIONS[operation](project);
        return [writeUnits, readUnits, objectPuts, objectGets].map(number);
      }),
    ),
    '## Capacity of a list',
    LISTS,
    table(
      ['projects', 'bytes in the answer, each', 'bytes of the item', 'read units of a list of 100', 'of 1,000'],
      Object.values(LISTED).map((project) => [
        project.title,
        ...[project.headBytes, project.recordBytes, listUnits(project, 100), listUnits(project, 1_000)].map(number),
      ]),
    ),
    '## Cost of an operation',
    ALL_OF_IT,
    table(
      ['project', 'operation', 'US$ a thousand', 'of that DynamoDB', 'S3', 'Lambda', 'data out'],
      everyOperation((project, operation) => {
        const amounts = amountsOf(operation, project);
        const parts = Object.values(SERVICES).map((names) => part(amounts, names));
        return [usd(amounts), ...parts].map((costs) => dollars(costs * 1_000, 4));
      }),
    ),
    '## Cost of keeping',
    'In the table with point-in-time recovery, or in the bucket, for a month. Objects that were deleted cost as long as the bucket keeps their versions: until the sweeper has been.',
    table(
      ['project', 'US$ a thousand projects a month'],
      PROJECTS.map((project) => [project.title, dollars(usd(keptForAMonth(project)) * 1_000, 4)]),
    ),
    '## A month',
    MONTH_TEXT,
    table(
      ['project', 'requests', 'keeping', 'US$ a month'],
      [
        ...PROJECTS.map((project) => [project.title, ...monthOf(project).map((costs) => dollars(costs, 2))]),
        ['the stack itself', '', '', dollars(usd(STACK), 2)],
        ['**all**', '', '', `**${dollars(wholeMonth(), 2)}**`],
      ],
    ),
    NOT_COUNTED,
    '## A stack that nobody uses',
    STANDING_TEXT,
    table(
      ['service', 'stage', 'secrets', 'metrics of alarms', 'metrics of logs', 'dashboards', 'US$ a month'],
      Object.entries(STANDING).flatMap(([service, stages]) =>
        Object.entries(stages).map(([stage, amounts]: [string, Amounts]) => [
          `\`${service}\``,
          `\`${stage}\``,
          ...STANDING_NAMES.map((name) => number(amounts[name] ?? 0)),
          dollars(usd(amounts), 2),
        ]),
      ),
    ),
    FIREWALL_TEXT,
  ].join('\n\n')}\n`;
}

/** The columns of the services that cost differs by. */
const SERVICES = {
  DynamoDB: ['writeUnit', 'readUnit'],
  S3: ['objectPut', 'objectGet'],
  Lambda: ['functionRequest', 'functionGigabyteSecond'],
  out: ['gigabyteOut'],
} as const satisfies Record<string, readonly (keyof Amounts)[]>;

const A_DAY = 1_000;
const DAYS = 30;
const READS = 2;
const STACK = STANDING.hosted.production;
const STANDING_NAMES = ['secretMonth', 'alarmMetricMonth', 'logMetricMonth', 'dashboardMonth'] as const;

function part(amounts: Amounts, names: readonly (keyof Amounts)[]): number {
  return usd(Object.fromEntries(names.map((name) => [name, amounts[name] ?? 0])));
}

function everyOperation(cells: (project: StoredProject, operation: OperationName) => string[]): string[][] {
  return PROJECTS.flatMap((project) =>
    OPERATION_NAMES.map((operation, index) => [
      index === 0 ? project.title : '',
      operation,
      ...cells(project, operation),
    ]),
  );
}

const OPERATION_NAMES = Object.keys(OPERATIONS).filter((name): name is OperationName => name in OPERATIONS);

/** Requests, keeping, and both. */
function monthOf(project: StoredProject): number[] {
  const count = A_DAY * DAYS;
  const requests = usd(
    times(count, amountsOf('create with a key', project)),
    times(count * READS, amountsOf('read', project)),
    times(count, amountsOf('delete', project)),
  );
  const keeping = usd(times(count, keptForAMonth(project)));
  return [requests, keeping, requests + keeping];
}

function wholeMonth(): number {
  const projects = PROJECTS.map((project) => monthOf(project).at(-1) ?? 0);
  return projects.reduce((sum, costs) => sum + costs, usd(STACK));
}

/** From how many KiB on a payload costs more in the table than as an object, written once and deleted once. */
function dearerFromKibibytes(): number {
  const { writeUnits, readUnits, objectPuts } = objectLife();
  const object = usd({ writeUnit: writeUnits, readUnit: readUnits, objectPut: objectPuts });
  return Math.ceil(object / usd({ writeUnit: UNITS_OF_A_KIBIBYTE }));
}

/** Two to write it, two to delete it. */
const UNITS_OF_A_KIBIBYTE = 4;

function number(value: number): string {
  return value.toLocaleString('en');
}

/** Of a month in cents, of a thousand operations in hundredths of a cent. */
function dollars(value: number, digits: 2 | 4): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Prices of single things are small: told for a million of them where that reads better. */
function priceText(value: number): string {
  if (value >= 0.01) return value.toLocaleString('en', { minimumFractionDigits: 2 });
  return `${(value * 1e6).toLocaleString('en', { maximumFractionDigits: 4 })} a million`;
}

const INTRODUCTION = `What the hosted service on AWS takes of DynamoDB, S3, Lambda and API Gateway, by the size of a project. The capacity is computed
from the sizes of items and the rules of \`lib/storage/dynamodb\`, and a test holds it against what the store really sends. In front of
another service there is no store: an operation costs its requests, its functions, and a call of Secrets Manager for every 30
seconds in which one of its execution environments is at work: of a function that runs ten times at once, ten.`;

const PRICES_TEXT = `US dollars, ${LIST.region}, as assumed in ${LIST.date}: first tiers, no free tier. **AWS’s own lists win**, and change. *Found again* is the
latest list of somebody else that has a date and the same price; where nothing stands, none with a date was found.`;

const CAPACITY = `Every change is a transaction, which writes each item twice: two units for each KiB of an item, rounded up. Every read is consistent:
a unit for each 4 KiB. The JSON of a project is compressed; up to ${number(MOST_INLINE_BYTES)} bytes it is in the table, and written and deleted
there at the price of its size; beyond that it is one object of the bucket, which takes a constant few units more for its mark. What the
sweeper does later to remove an object is counted with the deletion, and the read of an event that is put onto the bus with what it tells of. By a custom id, reading and deleting take a read unit more.

The table is the quicker place: one call less, and no second client to start. The bucket is the cheaper one: written once and deleted once,
a payload of more than ${dearerFromKibibytes()} KiB costs more in the table than as an object.`;

const LISTS = `A list reads one item for each project. The item holds the project without its segments. From 1,024 bytes on this JSON is compressed, so
that large teams cost few read units. If it exceeds 64 KiB even so, the list reads the whole project, which may take an S3 GET.`;

const ALL_OF_IT = `With everything: the request of API Gateway, the authorizer (one read unit, as if its answer were never cached; API Gateway keeps it for 30
seconds), the function, the event and the function that puts it onto the bus (as if it took them one by one), and the answer’s way
out, compressed. Functions have 1,769 MB; their times are assumed: ${ASSUMED_MS.authorizer} ms for the authorizer, ${ASSUMED_MS.request} ms for an operation, ${ASSUMED_MS.publisher} ms for an event, and ${ASSUMED_MS.megabyteOfBody} ms more for
each MB of body where a project is parsed or written.`;

const MONTH_TEXT = `${number(A_DAY)} projects a day of each size for ${DAYS} days: each is created with an \`Idempotency-Key\`, read ${READS === 2 ? 'twice' : `${READS} times`}, kept for a month and
deleted. *Keeping* is the month in which ${number(A_DAY * DAYS)} of each are there.`;

const STANDING_TEXT = `What is there for a month costs this much, whatever is asked for. A metric of logs costs something only in hours in which a line counts.`;

const FIREWALL_TEXT = `\`firewall=true\` adds ${dollars(usd(FIREWALL), 2)} a month, and ${priceText(PRICES.firewallRequest.usd)} requests. Logs are ${priceText(PRICES.logGigabyte.usd)} a GB.`;

const NOT_COUNTED = `Not counted: logs, a custom domain, a firewall, a customer’s own KMS key, tombstones and request records while
they are kept (a few hundred bytes each, for ${RETENTIONS.tombstone.days} and ${RETENTIONS.idempotencyKey.days} days), initialisations of functions, and the calls of Secrets Manager.`;
