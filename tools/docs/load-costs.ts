import { METHOD_RATES } from '../../infra/api/method-rates.ts';
import { STAGES } from '../../infra/stages.ts';
import {
  ASSUMED_MS,
  callUsd,
  companyWriteUnits,
  EVENT_WRITE_UNITS,
  OPERATIONS,
  PROJECTS,
  project,
  requestUsd,
  type SizedProject,
} from './cost.ts';
import { FUNCTION_GIGABYTES } from './idle-costs.ts';
import { dollars, number, usd } from './prices.ts';
import { table } from './table.ts';

/** The parts of `docs/cost.md` about load: what many requests of one kind cost, and what a partition takes. */

/** The write units that a partition of DynamoDB takes in a second, and a new table that is charged by request. */
const MAX_WRITE_UNITS = { partition: 1_000, newTable: 4_000 } as const;
/** The read units that a partition of DynamoDB takes in a second. */
const MAX_READ_UNITS = 3_000;

/** Projects with the first segments of `cldr-large`, by the number of segments. A test compares the sizes. */
export const CREATED = {
  1: project('1 segment', [883, 868, 556, 463]),
  50: project('50 segments', [6_117, 873, 1_181, 464]),
  1000: project('1,000 segments', [118_118, 920, 16_042, 466]),
} as const;
/** The size of a work record before it was compressed: that of a project with seven target languages. */
const PLAIN_WORK_BYTES = 1_354;
/** The maximum size of a payload in the table before it was 32 KiB. */
const OLD_INLINE_BYTES = 390_000;
/** A project whose payload is as large as the table took then. */
const LARGEST_INLINE = project(`a payload of ${number(OLD_INLINE_BYTES)} bytes`, [
  3_700_000,
  2_000,
  OLD_INLINE_BYTES,
  467,
]);

function createsTable(): string {
  const rows = [...Object.values(CREATED), PROJECTS['cldr-large'], LARGEST_INLINE];
  return table(
    ['project', 'write units (1)', '(2)', 'now', 'US$ a million (1)', '(2)', 'now'],
    rows.map((now) => {
      const before: SizedProject = { ...now, workBytes: PLAIN_WORK_BYTES };
      const all = [{ ...before, maxInlineBytes: OLD_INLINE_BYTES }, before, now];
      return [
        now.title,
        ...all.map((sized) => number(OPERATIONS.create(sized).writeUnits)),
        ...all.map((sized) => dollars(requestUsd('create', sized) * 1e6, 2)),
      ];
    }),
  );
}

function largePayloads(): string {
  const first = { ...LARGEST_INLINE, workBytes: PLAIN_WORK_BYTES, maxInlineBytes: OLD_INLINE_BYTES };
  const unitsOf = (sized: SizedProject) => OPERATIONS.create(sized).writeUnits;
  const atRate = (sized: SizedProject) =>
    dollars(usd({ writeUnit: unitsOf(sized) }) * STAGES.production.rate.perSecond * 3_600, 2);
  return `DynamoDB gives a new table ${number(MAX_WRITE_UNITS.newTable)} write units a second. In version (1), ${Math.floor(MAX_WRITE_UNITS.newTable / unitsOf(first))} creations a second used them all, if each project was as large as that in the last row. A company that creates ${STAGES.production.rate.perSecond} such projects a second, its default rate, caused costs of US$ ${atRate(first)} an hour for write units. Now it causes US$ ${atRate(LARGEST_INLINE)}.`;
}

/** A list of 100 projects of one kind. */
interface CostedList {
  readonly title: string;
  /** How many projects the first page shows. A page ends at 4 MiB of JSON. */
  readonly projects: number;
  /** The read units of the first page. */
  readonly readUnits: number;
  /** The read units of this page before its items were made small. */
  readonly readUnitsBefore: number;
  readonly objectGets: number;
}

/** What the first page of lists costs, by the kind of their projects. A test compares it with what the store sends. */
export const LISTS: Readonly<Record<string, CostedList>> = {
  small: list('small: one target language', [100, 31, 31, 0]),
  'ui-strings': list('`ui-strings`', [100, 43, 43, 0]),
  'udhr-html': list('`udhr-html`', [100, 60, 60, 0]),
  teams: list('20 target languages, 5 people each', [100, 169, 212, 0]),
  'large teams': list('150 target languages, 6 people each', [18, 75, 1_457, 21]),
};

function listsTable(): string {
  return table(
    [
      '100 projects of this kind',
      'projects in the page',
      'read units before',
      'read units',
      'S3 GET',
      'US$ a million pages',
    ],
    Object.values(LISTS).map(({ title, projects, readUnitsBefore, readUnits, objectGets }) => [
      title,
      ...[projects, readUnitsBefore, readUnits, objectGets].map(number),
      dollars(usd({ readUnit: readUnits, objectGet: objectGets }) * 1e6, 2),
    ]),
  );
}

/** The units that one webhook message takes in both tables. */
interface MessageUnits {
  readonly writeUnits: number;
  readonly readUnits: number;
}

interface CostedMessage extends MessageUnits {
  readonly title: string;
  /** The units before the mapping had an item of its own, and before messages were compressed. */
  readonly before: MessageUnits;
  /** Whether the message is stored and processed. */
  readonly isAccepted: boolean;
}

/** What webhook messages take, without their commands. A test compares the units with what the store sends. */
export const MESSAGES: Readonly<Record<string, CostedMessage>> = {
  accepted: message('accepted: 2 KB of JSON', [22, 23], [26, 38], true),
  large: message('accepted: 100 KB of JSON', [222, 35], [538, 70], true),
  forged: message('a wrong signature', [0, 1], [0, 17]),
  unknown: message('an unknown name, for the first time in 5 seconds', [0, 1], [0, 1]),
  again: message('an unknown name again', [0, 0], [0, 1]),
};

function messagesTable(): string {
  return table(
    ['message', 'write units before', 'now', 'read units before', 'now', 'US$ a million before', 'now'],
    Object.values(MESSAGES).map(({ title, before, isAccepted, ...now }) => [
      title,
      ...[before.writeUnits, now.writeUnits, before.readUnits, now.readUnits].map(number),
      ...[before, now].map((units) => dollars(messageUsd(units, isAccepted) * 1e6, 2)),
    ]),
  );
}

/** Returns the cost of a message in US dollars. An accepted message is processed by another function. */
function messageUsd({ writeUnits, readUnits }: MessageUnits, isAccepted: boolean): number {
  const functions = isAccepted ? 2 : 1;
  const functionGigabyteSecond = ((functions * ASSUMED_MS.request) / 1e3) * FUNCTION_GIGABYTES;
  return (
    callUsd({ functions, lines: functions }) +
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

function list(
  title: string,
  [projects, readUnits, readUnitsBefore, objectGets]: readonly [number, number, number, number],
): CostedList {
  return { title, projects, readUnits, readUnitsBefore, objectGets };
}

function message(
  title: string,
  [writeUnits, readUnits]: readonly [number, number],
  before: readonly [writeUnits: number, readUnits: number],
  isAccepted = false,
): CostedMessage {
  return { title, writeUnits, readUnits, before: { writeUnits: before[0], readUnits: before[1] }, isAccepted };
}
