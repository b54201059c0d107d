import { nearest } from '../lib/contract/nearest.ts';
import { MAIL_FROM, SECURITY_CONTACT, SECURITY_POLICY, START_TOLERANCE_SECONDS } from '../lib/contract/settings.ts';
import { checkEndpoint } from './api/endpoint-options.ts';
import { SERVED_OPERATIONS } from './api/method-rates.ts';
import { readNetwork } from './api/network.ts';
import { checkCapacity } from './functions/capacity.ts';
import { functionsOf } from './functions/catalogue.ts';
import { checkNetwork } from './functions/network-options.ts';
import { functionOptions, type GatewayOptions, hasDeliveries, type ProjectGatewayProps } from './options.ts';
import { serverOf } from './services.ts';
import { requireWhole, SettingError } from './setting-error.ts';
import { LOG_DAYS, STAGES } from './stages.ts';

/** The smallest `maxWriteRequestUnits`. To store one large webhook message takes nearly as many. */
const MIN_WRITE_UNITS = 1_000;

/** The `alarmEmail` that says that alarms notify nobody. */
const NOBODY = 'none';

/**
 * Fills in the stage's default for each option that is not set.
 * @throws {SettingError} if an option is invalid
 */
export function withDefaults({
  stage = 'production',
  alarmEmail: recipient,
  ...props
}: ProjectGatewayProps): GatewayOptions {
  // A program in JavaScript can leave it out.
  if (props.service === undefined) throw new SettingError('service must be hosted() or upstream({ url })');
  const given = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
  const alarmEmail = recipient === NOBODY ? undefined : recipient;
  const options: GatewayOptions = { ...STAGES[stage], ...given, service: props.service, stage, alarmEmail };
  const { recoveryDays, startToleranceSeconds, monthlyBudget } = options;
  requireWhole(recoveryDays, [0, 35], 'recoveryDays must be a whole number of days from 1 to 35, or 0 for none');
  const { range, rule } = START_TOLERANCE_SECONDS;
  requireWhole(startToleranceSeconds, range, `startToleranceSeconds must be ${rule}`);
  requireUse({ ...props, alarmEmail: recipient });
  checkFirewall(options);
  checkSecurityContact(options);
  for (const name of ['existingTable', 'existingDeliveriesTable'] as const) {
    if (options[name] && options[name].tableStreamArn === undefined) {
      throw new SettingError(`${name} must have the ARN of its stream: see docs/restore.md`);
    }
  }
  if (options.existingBucket && options.service.name !== 'hosted') {
    throw new SettingError('existingBucket is for service=hosted: an upstream service keeps the content itself');
  }
  if (options.existingDeliveriesTable && !hasDeliveries(options)) {
    throw new SettingError(
      'existingDeliveriesTable is for webhooks, and for the events of service=hosted: leave it out, or set webhooks to true',
    );
  }
  if (options.bulk === false && options.bulkCompanies?.length) {
    throw new SettingError('bulkCompanies needs bulk: leave out bulkCompanies, or set bulk to true');
  }
  if (options.service.name === 'hosted' && options.service.destinations && options.events === false) {
    throw new SettingError(
      'destinations needs events, after which results are sent: leave it out, or set events to true',
    );
  }
  requireWhole(
    options.maxWriteRequestUnits,
    [MIN_WRITE_UNITS, Number.MAX_SAFE_INTEGER],
    `maxWriteRequestUnits must be a whole number of units a second, from ${MIN_WRITE_UNITS} on, because one large webhook message takes nearly as many`,
  );
  requireWhole(
    monthlyBudget,
    [1, Number.MAX_SAFE_INTEGER],
    'monthlyBudget must be a whole number of US dollars, such as -c monthlyBudget=100',
  );
  if (monthlyBudget !== undefined && alarmEmail === undefined) {
    throw new SettingError('monthlyBudget needs alarmEmail, the address that gets its warnings');
  }
  if (alarmEmail !== undefined && !MAIL_FROM.parse(alarmEmail)) {
    throw new SettingError('alarmEmail must be an e-mail address, such as -c alarmEmail=ops@example.com, or none');
  }
  requireRates(options.methodRates);
  checkEndpoint(options, { domain: options.domain !== undefined, canary: options.canary !== undefined });
  checkMutualTls(options);
  checkNetwork(options, serverOf(options.service));
  checkCapacity(options, functionsOf(options.service.name, functionOptions(options)), options.rollout);
  requireRecipient(options, recipient);
  return options;
}

/** Refuses options without effect, because another option turns off what they are for. A stage may turn it off. */
function requireUse({
  firewall,
  firewallLimit,
  firewallLogDays,
  alarms,
  alarmEmail,
  monthlyBudget,
}: Partial<ProjectGatewayProps>): void {
  const ofFirewall = Object.entries({ firewallLimit, firewallLogDays }).find(([, value]) => value !== undefined);
  if (firewall === 'off' && ofFirewall) {
    throw new SettingError(`${ofFirewall[0]} needs a firewall: leave it out, or set firewall to rate or managed`);
  }
  if (alarms === false && alarmEmail !== undefined && monthlyBudget === undefined) {
    throw new SettingError('alarmEmail needs alarms: leave it out, or set alarms to true');
  }
}

/** @throws {SettingError} if nobody has decided whom alarms notify */
function requireRecipient({ alarms, alarmTopic }: GatewayOptions, recipient: string | undefined): void {
  if (alarms && !alarmTopic && recipient === undefined) {
    throw new SettingError(
      'Choose whom alarms notify: alarmEmail, such as -c alarmEmail=ops@example.com, or an SNS topic, such as -c alarmTopicArn=arn:aws:sns:eu-central-1:123456789012:segue-alarms (alarmTopic in your own app). If nobody is to be notified, set alarmEmail to none',
    );
  }
  if (alarmTopic && recipient === NOBODY) {
    throw new SettingError('alarmEmail is none, and there is a topic for alarms: leave out one of them');
  }
}

function checkFirewall({ firewall, firewallLimit, firewallLogDays, blockedNetworks = [] }: GatewayOptions): void {
  requireWhole(
    firewallLimit,
    [10, 2_000_000_000],
    'firewallLimit must be a whole number of requests in five minutes from 10 to 2000000000',
  );
  if (!LOG_DAYS.includes(firewallLogDays)) {
    throw new SettingError(`firewallLogDays must be one of ${LOG_DAYS.join(', ')} days`);
  }
  if (blockedNetworks.some((network) => readNetwork(network) === undefined)) {
    throw new SettingError(
      'blockedNetworks must be addresses or networks, such as -c blockedNetworks=203.0.113.7,2001:db8::/32',
    );
  }
  if (blockedNetworks.length > 0 && firewall === 'off') {
    throw new SettingError('blockedNetworks needs a firewall: set firewall=rate or firewall=managed');
  }
}

function checkMutualTls({ domain, tls, canary }: GatewayOptions): void {
  if (!domain?.mtls) return;
  if (tls === '1.3') throw new SettingError('API Gateway has no mutual TLS with tls=1.3: leave out tls or mutual TLS');
  if (canary !== undefined) {
    throw new SettingError('The canary has no client certificate: leave out canary or mutual TLS');
  }
}

function checkSecurityContact({ securityContact, securityPolicy }: GatewayOptions): void {
  if (securityContact !== undefined && !SECURITY_CONTACT.parse(securityContact)) {
    throw new SettingError(`securityContact must be ${SECURITY_CONTACT.rule}`);
  }
  if (securityPolicy !== undefined && !SECURITY_POLICY.parse(securityPolicy)) {
    throw new SettingError(`securityPolicy must be ${SECURITY_POLICY.rule}`);
  }
  if (securityPolicy !== undefined && securityContact === undefined) {
    throw new SettingError('securityPolicy needs securityContact');
  }
}

/** @throws {SettingError} if an entry of `methodRates` names no operation, or is no rate */
function requireRates(rates: GatewayOptions['methodRates'] = {}): void {
  for (const [id, { perSecond, burst }] of Object.entries(rates)) {
    if (!SERVED_OPERATIONS.includes(id)) {
      const [similar] = nearest(id, SERVED_OPERATIONS, 1);
      const hint = similar === undefined ? 'docs/limits.md has some of them' : `did you mean ${similar}?`;
      throw new SettingError(`methodRates must map operations to rates. ${id} is not an operation: ${hint}`);
    }
    for (const value of [perSecond, burst]) {
      const message = `methodRates.${id} must have whole numbers from 1 on, such as { "perSecond": 20, "burst": 40 }`;
      requireWhole(value, [1, Number.MAX_SAFE_INTEGER], message);
    }
  }
}
