import { isDate } from './choice.ts';
import { isExpression } from './jsonata-data.ts';
import { DefinitionError } from './state-error.ts';
import { FIELDS_OF_STATES, type Fields, type Language, type StateFields, type StateType } from './state-fields.ts';

const MAX_NAME_CHARACTERS = 80;

/** Refuses a state that Step Functions would refuse for its name, or for which fields it has. */
export function checkFields(name: string, type: StateType, language: Language, fields: Fields): void {
  const at = `the state ${name}`;
  if ([...name].length > MAX_NAME_CHARACTERS)
    throw new DefinitionError(`${at} has a name of more than ${MAX_NAME_CHARACTERS} characters`);
  refuseOtherFields(type, language, fields, at);
  for (const rule of CHOICES_OF_FIELDS) if (rule.type === type) requireChoice(rule, fields, at);
  checkLiterals(fields, at);
}

function refuseOtherFields(type: StateType, language: Language, fields: Fields, at: string): void {
  const { both, ...own }: StateFields = FIELDS_OF_STATES[type];
  const other = language === 'JSONata' ? 'JSONPath' : 'JSONata';
  for (const name of Object.keys(fields)) {
    if ([...both, ...own[language], 'Type', 'Comment', 'QueryLanguage'].includes(name)) continue;
    if (own[other].includes(name)) {
      throw new DefinitionError(
        `${at} has ${name}, which is of ${other}, and its query language is ${language}: ${
          own[language].length > 0 ? `use ${own[language].join(', ')}, or ` : ''
        }set QueryLanguage to ${other}`,
      );
    }
    throw new DefinitionError(`${at} has ${name}, which a ${type} state has not, or this machine does not support`);
  }
}

/** Fields of a type of state, of which it has at most one. */
interface ChoiceOfFields {
  readonly type: StateType;
  readonly fields: readonly string[];
  /** Whether the state needs one of them. */
  readonly isRequired?: boolean;
}

const CHOICES_OF_FIELDS: readonly ChoiceOfFields[] = [
  { type: 'Task', fields: ['Resource'], isRequired: true },
  { type: 'Choice', fields: ['Choices'], isRequired: true },
  { type: 'Parallel', fields: ['Branches'], isRequired: true },
  { type: 'Map', fields: ['ItemProcessor', 'Iterator'], isRequired: true },
  { type: 'Wait', fields: ['Seconds', 'Timestamp', 'SecondsPath', 'TimestampPath'], isRequired: true },
  { type: 'Map', fields: ['ItemSelector', 'Parameters'] },
  { type: 'Map', fields: ['MaxConcurrency', 'MaxConcurrencyPath'] },
  { type: 'Task', fields: ['TimeoutSeconds', 'TimeoutSecondsPath'] },
  { type: 'Task', fields: ['HeartbeatSeconds', 'HeartbeatSecondsPath'] },
  { type: 'Fail', fields: ['Error', 'ErrorPath'] },
  { type: 'Fail', fields: ['Cause', 'CausePath'] },
];

function requireChoice({ fields: names, isRequired = false }: ChoiceOfFields, fields: Fields, at: string): void {
  const given = names.filter((name) => fields[name] !== undefined);
  if (given.length > 1) throw new DefinitionError(`${at} has ${given.join(' and ')}: give only one of them`);
  if (isRequired && given.length === 0) throw new DefinitionError(`${at} needs ${names.join(', or ')}`);
}

const MAX_SECONDS = 99_999_999;

/** The fields that are whole numbers, with the least and the greatest. In JSONata, an expression may compute them. */
const WHOLE_NUMBERS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  TimeoutSeconds: [1, MAX_SECONDS],
  HeartbeatSeconds: [1, MAX_SECONDS],
  Seconds: [0, MAX_SECONDS],
  MaxConcurrency: [0, Number.MAX_SAFE_INTEGER],
};

/** Checks the values that are no expressions. */
function checkLiterals(fields: Fields, at: string): void {
  const isComputed = (value: unknown) => value === undefined || (typeof value === 'string' && isExpression(value));
  for (const [name, [min, max]] of Object.entries(WHOLE_NUMBERS)) {
    const value = fields[name];
    if (isComputed(value) || (Number.isInteger(value) && Number(value) >= min && Number(value) <= max)) continue;
    throw new DefinitionError(
      `${at}, ${name}: must be a whole number of at least ${min}${max === MAX_SECONDS ? `, and at most ${max}` : ''}`,
    );
  }
  const { TimeoutSeconds, HeartbeatSeconds, Timestamp } = fields;
  if (typeof TimeoutSeconds === 'number' && typeof HeartbeatSeconds === 'number' && HeartbeatSeconds >= TimeoutSeconds)
    throw new DefinitionError(`${at}: HeartbeatSeconds must be less than TimeoutSeconds`);
  if (!isComputed(Timestamp) && !isDate(Timestamp))
    throw new DefinitionError(`${at}, Timestamp: must be a moment with a time zone, such as 2026-01-31T09:00:00Z`);
}
