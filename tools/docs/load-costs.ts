import { METHOD_RATES } from '../../infra/api/method-rates.ts';
import { STAGES } from '../../infra/stages.ts';
import {
  ASSUMED_MS,
  callParts,
  companyWriteUnits,
  EVENT_WRITE_UNITS,
  OPERATIONS,
  PROJECTS,
  project,
  requestParts,
} from './cost.ts';
import { FUNCTION_GIGABYTES } from './idle-costs.ts';
import { dollars, number, total, usd } from './prices.ts';
import { table } from './table.ts';

/** The parts of `docs/cost.md` about load: what many requests of one kind cost, and what a partition takes. */

/** The write units that a partition of DynamoDB takes in a second, and a new table that is charged by request. */
const MAX_WRITE_UNITS = { partition: 1_000, newTable: 4_000 } as const;
/** The read units that a partition of DynamoDB takes in a second. */
const MAX_READ_UNITS = 3_000;

/** Projects with the first segments of `cldr-large`, by the number of segments. A test compares the sizes. */
export const CREATED = {
  1: project('1 segment', [883, 398, 556, 463]),
  50: project('50 segments', [6_117, 403, 1_181, 464]),
  2000: project('2,000 segments', [230_531, 1_060, 31_636, 466]),
} as const;
/** How many bytes the largest of the projects has in the bucket. */
const LARGE_PAYLOAD_BYTES = 390_000;
const LARGE = project(`a payload of ${number(LARGE_PAYLOAD_BYTES)} bytes`, [
  3_700_000,
  2_000,
  LARGE_PAYLOAD_BYTES,
  467,
]);

function createsTable(): string {
  const rows = [PROJECTS.small, ...Object.values(CREATED), PROJECTS['cldr-large'], LARGE].map((sized) => {
    const parts = requestParts('create with a key', sized);
    const million = [...Object.values(parts), total(Object.values(parts))].map((part) => dollars(part * 1e6, 2));
    return { parts, cells: [sized.title, number(OPERATIONS['create with a key'](sized).writeUnits), ...million] };
  });
  return table(
    ['project', 'write units', ...Object.keys(rows[0]?.parts ?? {}), '**US$ a million**'],
    rows.map(({ cells }) => cells),
  );
}

function largePayloads(): string {
  const unitsOf = OPERATIONS['create with a key'](LARGE).writeUnits;
  const { perSecond } = STAGES.production.rate;
  const hourly = usd({ writeUnit: unitsOf }) * perSecond * 3_600;
  return `DynamoDB gives a new table ${number(MAX_WRITE_UNITS.newTable)} write units a second: ${Math.floor(MAX_WRITE_UNITS.newTable / unitsOf)} creations of the last row. A company that creates ${perSecond} such projects a second, its default rate, causes costs of US$ ${dollars(hourly, 2)} an hour for write units.`;
}

/** A list of 100 projects of one kind. */
interface CostedList {
  readonly title: string;
  /** How many projects the first page shows. A page ends at 4 MiB of JSON. */
  readonly projects: number;
  /** The read units of the first page. */
  readonly readUnits: number;
  readonly objectGets: number;
}

/** What the first page of lists costs, by the kind of their projects. A test compares it with what the store sends. */
export const LISTS: Readonly<Record<string, CostedList>> = {
  small: list('small: one target language', [100, 25, 0]),
  'largest small': list('4 KB of compressed JSON, the most inside a record', [100, 100, 0]),
  'ui-strings': list('`ui-strings`', [100, 43, 0]),
  'udhr-html': list('`udhr-html`', [100, 60, 0]),
  teams: list('20 target languages, 5 people each', [100, 169, 0]),
  'large teams': list('150 target languages, 6 people each', [18, 75, 21]),
};

function listsTable(): string {
  return table(
    ['100 projects of this kind', 'projects in the page', 'read units', 'S3 GET', 'US$ a million pages'],
    Object.values(LISTS).map(({ title, projects, readUnits, objectGets }) => [
      title,
      ...[projects, readUnits, objectGets].map(number),
      dollars(usd({ readUnit: readUnits, objectGet: objectGets }) * 1e6, 2),
    ]),
  );
}

interface CostedMessage {
  readonly title: string;
  /** The units that the message takes in both tables. */
  readonly writeUnits: number;
  readonly readUnits: number;
  /** Whether the message is stored and processed. */
  readonly isAccepted: boolean;
}

/** What webhook messages take, without their commands. A test compares the units with what the store sends. */
export const MESSAGES: Readonly<Record<string, CostedMessage>> = {
  accepted: message('accepted: 2 KB of JSON', [22, 23], true),
  large: message('accepted: 100 KB of JSON', [222, 35], true),
  forged: message('a wrong signature', [0, 1]),
  unknown: message('an unknown name, for the first time in 5 seconds', [0, 1]),
  again: message('an unknown name again', [0, 0]),
};

function messagesTable(): string {
  return table(
    ['message', 'write units', 'read units', 'US$ a million'],
    Object.values(MESSAGES).map(({ title, isAccepted, ...units }) => [
      title,
      ...[units.writeUnits, units.readUnits].map(number),
      dollars(messageUsd(units, isAccepted) * 1e6, 2),
    ]),
  );
}

/** Returns the cost of a message in US dollars. An accepted message is processed by another function. */
function messageUsd(
  { writeUnits, readUnits }: Pick<CostedMessage, 'writeUnits' | 'readUnits'>,
  isAccepted: boolean,
): number {
  const functions = isAccepted ? 2 : 1;
  const functionGigabyteSecond = ((functions * ASSUMED_MS.request) / 1e3) * FUNCTION_GIGABYTES;
  return (
    total(Object.values(callParts({ functions, lines: functions }))) +
    usd({ writeUnit: writeUnits, readUnit: readUnits, functionGigabyteSecond })
  );
}

function strangers(): string {
  const { perSecond = 0 } = METHOD_RATES.receiveWebhook ?? {};
  const hourly = messageUsd({ writeUnits: 0, readUnits: 1 }, false) * perSecond * 3_600;
  return `Anyone can send messages with a wrong signature. At the default limit of ${number(perSecond)} messages a second, they cost US$ ${dollars(hourly, 2)} an hour. Such messages do not slow down the table for other senders: each source has a partition of its own, which takes ${number(MAX_READ_UNITS)} read units a second.`;
}

function partitionTable(): string {
  const { perSecond } = STAGES.production.rate;
  return table(
    [
      'project',
      'units of its partition',
      'units of its events',
      'creations a second',
      `times the default rate of ${perSecond}`,
    ],
    Object.values(PROJECTS).map((sized) => {
      const units = [companyWriteUnits(sized), EVENT_WRITE_UNITS];
      const most = Math.floor(MAX_WRITE_UNITS.partition / Math.max(...units));
      return [sized.title, ...units.map(number), number(most), (most / perSecond).toFixed(1)];
    }),
  );
}

/** Returns the parts of `docs/cost.md` about load. */
export function loadParts(): Record<string, string> {
  const thousandUnits = usd({ writeUnit: 1_000 }) * 3_600;
  return {
    creates: createsTable(),
    'large payloads': largePayloads(),
    lists: listsTable(),
    messages: messagesTable(),
    strangers: strangers(),
    partition: partitionTable(),
    'write limit': `A table that takes 1,000 write units a second all the time costs US$ ${dollars(thousandUnits, 2)} an hour. So with \`maxWriteRequestUnits=2000\`, the writes of the main table cost at most US$ ${dollars(thousandUnits * 2 * 24, 2)} a day.`,
  };
}

function list(title: string, [projects, readUnits, objectGets]: readonly [number, number, number]): CostedList {
  return { title, projects, readUnits, objectGets };
}

function message(title: string, [writeUnits, readUnits]: readonly [number, number], isAccepted = false): CostedMessage {
  return { title, writeUnits, readUnits, isAccepted };
}
