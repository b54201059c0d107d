/** The domains of an AWS partition. */
export interface Partition {
  /** The beginning of the names of its regions. */
  readonly regions: string;
  /** The domain of the regular endpoints. In a template, it is `AWS::URLSuffix`. */
  readonly domain: string;
  /** The domain of the endpoints that have IPv6 too. */
  readonly dualStackDomain: string;
}

/** The partitions with domains of their own. A test compares them with the AWS SDK. */
const PARTITIONS: readonly Partition[] = [
  { regions: 'cn-', domain: 'amazonaws.com.cn', dualStackDomain: 'api.amazonwebservices.com.cn' },
  { regions: 'eusc-', domain: 'amazonaws.eu', dualStackDomain: 'api.amazonwebservices.eu' },
  { regions: 'us-iso-', domain: 'c2s.ic.gov', dualStackDomain: 'api.aws.ic.gov' },
  { regions: 'us-isob-', domain: 'sc2s.sgov.gov', dualStackDomain: 'api.aws.scloud' },
  { regions: 'us-isof-', domain: 'csp.hci.ic.gov', dualStackDomain: 'api.aws.hci.ic.gov' },
  { regions: 'eu-isoe-', domain: 'cloud.adc-e.uk', dualStackDomain: 'api.cloud-aws.adc-e.uk' },
];

const COMMERCIAL: Partition = { regions: '', domain: 'amazonaws.com', dualStackDomain: 'api.aws' };

/** Returns the domains of the partition of a region. GovCloud has those of the commercial regions. */
export function partitionOf(region: string): Partition {
  return PARTITIONS.find(({ regions }) => region.startsWith(regions)) ?? COMMERCIAL;
}
