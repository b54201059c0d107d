import { DomainName, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import type { CustomDomain } from '../options.ts';

export interface ApiDomainProps {
  readonly domain: CustomDomain;
  readonly rest: RestApi;
}

/** A domain of one's own in front of the API. Its DNS record is the operator's. */
export class ApiDomain extends Construct {
  /** The name that a CNAME or alias record of the domain has to lead to. */
  readonly target: string;

  constructor(scope: Construct, id: string, { domain, rest }: ApiDomainProps) {
    super(scope, id);
    const { name, certificate, basePath } = domain;
    const domainName = new DomainName(this, 'Name', {
      domainName: name,
      certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
      mapping: rest,
      ...(basePath !== undefined && { basePath }),
    });
    this.target = domainName.domainNameAliasDomainName;
  }
}
