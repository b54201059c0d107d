import { Stack, Token } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { InterfaceVpcEndpointAwsService, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { functionsOf } from '../../infra/functions/catalogue.ts';
import { hosted, ProjectGateway, type ProjectGatewayProps, upstream } from '../../infra/index.ts';
import { readBaseUrl } from '../../lib/contract/base-url.ts';
import { MUTUAL_TLS, PRIVATE_NETWORK } from '../../tools/contexts.ts';
import { read } from '../docs/world.ts';
import { synthesise, withApp } from './synthesise.ts';
import { constructOf, propertiesOf } from './template.ts';

const template = await synthesise('upstream', PRIVATE_NETWORK);
const { vpcId, subnetIds } = PRIVATE_NETWORK;
const PAGE = read('docs/private-network.md');

const Policies = z.object({
  Policies: z.array(z.object({ PolicyDocument: z.object({ Statement: z.array(z.looseObject({})) }) })),
});

/** Returns the statements of a function's role that are about network interfaces. */
function interfaceStatements(name: string): unknown[] {
  const role = Policies.parse(propertiesOf(template, 'AWS::IAM::Role').get(`${constructOf(name)}Role`));
  return role.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement).filter((statement) =>
    JSON.stringify(statement).includes('"ec2:'),
  );
}

/** Creates a gateway with options in an app of its own. */
function gatewayWith(options: (stack: Stack) => Partial<ProjectGatewayProps>): Promise<ProjectGateway> {
  const service = upstream({ url: 'https://projects.internal' });
  return withApp((app) => {
    const stack = new Stack(app, 'Stack');
    return new ProjectGateway(stack, 'Segue', { service, stage: 'development', ...options(stack) });
  });
}

function domainOf(stack: Stack): NonNullable<ProjectGatewayProps['domain']> {
  const certificate = Certificate.fromCertificateArn(stack, 'Certificate', String(MUTUAL_TLS['certificateArn']));
  return { name: 'projects.example.com', certificate };
}

describe('a VPC', () => {
  const lambdas = propertiesOf(template, 'AWS::Lambda::Function');
  const inVpc = functionsOf('upstream')
    .map(({ name }) => name)
    .filter((name) => Object(lambdas.get(`${constructOf(name)}Lambda`)).VpcConfig);

  it('has the functions that read the secret of the upstream service, and no other', () => {
    const reading = functionsOf('upstream').filter(({ access }) => access.upstream?.upstreamSecret);
    expect(inVpc).toEqual(reading.map(({ name }) => name));
    for (const name of inVpc) {
      expect(lambdas.get(`${constructOf(name)}Lambda`)).toMatchObject({
        VpcConfig: {
          SubnetIds: ['subnet-0123456789abcdef0', 'subnet-0fedcba9876543210'],
          SecurityGroupIds: [{ 'Fn::GetAtt': [expect.stringMatching(/^NetworkSecurityGroup/), 'GroupId'] }],
        },
      });
    }
  });

  it('is described with these functions', () => {
    const [, listed = ''] = /With `upstream`, (.*) are in the VPC/.exec(PAGE) ?? [];
    expect([...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(inVpc);
  });

  it('needs no way to other services of AWS than DynamoDB, S3 and Secrets Manager', () => {
    const services = inVpc.flatMap((name) => {
      const [role] = [propertiesOf(template, 'AWS::IAM::Role').get(`${constructOf(name)}Role`)];
      const { Policies: policies } = Policies.parse(role);
      return policies.flatMap(({ PolicyDocument }) =>
        PolicyDocument.Statement.flatMap(({ Action }) => [Action].flat().map((action) => String(action).split(':')[0])),
      );
    });
    // Lambda itself uses the permissions for logs, dead letters and network interfaces, outside the VPC.
    expect([...new Set(services)].sort()).toEqual(['dynamodb', 'ec2', 'logs', 's3', 'secretsmanager', 'sqs']);
  });

  it('gets network interfaces from Lambda, and not from the code of a function', () => {
    const actions = expect.arrayContaining(['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface']);
    for (const name of inVpc) {
      expect(interfaceStatements(name)).toEqual([
        { Effect: 'Allow', Action: actions, Resource: '*' },
        {
          Effect: 'Deny',
          Action: actions,
          Resource: '*',
          Condition: { ArnLike: { 'lambda:SourceFunctionArn': expect.anything() } },
        },
      ]);
    }
    expect(interfaceStatements('authorizer')).toEqual([]);
  });

  it('gets a security group that allows https and the port of the server, and is an output', () => {
    template.resourceCountIs('AWS::EC2::SecurityGroup', 1);
    template.hasResourceProperties('AWS::EC2::SecurityGroup', {
      VpcId: 'vpc-0123456789abcdef0',
      SecurityGroupEgress: [443, 8_443].map((port) => ({
        CidrIp: '0.0.0.0/0',
        Description: 'The server, and endpoints of AWS',
        IpProtocol: 'tcp',
        FromPort: port,
        ToPort: port,
      })),
    });
    expect(propertiesOf(template, 'AWS::EC2::SecurityGroup').values().next().value).not.toHaveProperty(
      'SecurityGroupIngress',
    );
    template.hasOutput('SecurityGroupId', {});
  });

  it('is one of the app itself, with a security group of its own', async () => {
    const groups = await gatewayWith((stack) => ({ vpc: new Vpc(stack, 'Vpc') })).then(
      ({ securityGroups }) => securityGroups,
    );
    expect(groups).toHaveLength(1);
    expect((await gatewayWith(() => ({}))).securityGroups).toEqual([]);
  });

  it('has the functions that call a translation engine of the operator', async () => {
    const ownEngine = await synthesise('hosted', {
      vpcId,
      subnetIds,
      securityGroupIds: 'sg-0123456789abcdef0',
      translationEngine: 'libretranslate',
      translationUrl: 'https://translate.internal',
    });
    const connected = [...propertiesOf(ownEngine, 'AWS::Lambda::Function')].filter(
      ([, properties]) => Object(properties).VpcConfig,
    );
    expect(connected.map(([id]) => id).sort()).toEqual(['ChangeProjectsLambda', 'JobsLambda']);
    expect(connected[0]?.[1]).toMatchObject({ VpcConfig: { SecurityGroupIds: ['sg-0123456789abcdef0'] } });
    ownEngine.resourceCountIs('AWS::EC2::SecurityGroup', 0);
  });

  it.each<[string, (stack: Stack) => Partial<ProjectGatewayProps>]>([
    [
      'A VPC is for functions that call a server of yours',
      (stack) => ({ service: hosted(), vpc: new Vpc(stack, 'Vpc') }),
    ],
    ['vpcSubnets and securityGroups need vpc', () => ({ vpcSubnets: { availabilityZones: [] } })],
    ['securityGroups must have one or more', (stack) => ({ vpc: new Vpc(stack, 'Vpc'), securityGroups: [] })],
  ])('is refused with %s', async (message, options) => {
    await expect(gatewayWith(options)).rejects.toThrow(message);
  });
});

describe('a private endpoint', () => {
  const [api] = propertiesOf(template, 'AWS::ApiGateway::RestApi').values();
  const vpcEndpointIds = ['vpce-0123456789abcdef0', 'vpce-0fedcba9876543210'];

  it('admits requests through the VPC endpoints of the option only', () => {
    expect(api).toMatchObject({
      EndpointConfiguration: { Types: ['PRIVATE'], VpcEndpointIds: vpcEndpointIds },
      DisableExecuteApiEndpoint: false,
      Policy: {
        Statement: [
          {
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Action: 'execute-api:Invoke',
            Resource: 'execute-api:/*',
            Condition: { StringNotEquals: { 'aws:SourceVpce': vpcEndpointIds } },
          },
          { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'execute-api:Invoke', Resource: 'execute-api:/*' },
        ],
      },
    });
  });

  it('has a URL that names the API and the first endpoint', () => {
    const { Value } = Object(template.findOutputs('ApiUrl')['ApiUrl']);
    const parts: unknown[] = Value['Fn::Join'][1];
    expect(parts.filter((part) => typeof part === 'string')).toEqual([
      'https://',
      '-vpce-0123456789abcdef0.execute-api.',
      '.',
      '/',
    ]);
  });

  it('stands behind the firewall of production', () => {
    template.resourceCountIs('AWS::WAFv2::WebACLAssociation', 1);
  });

  it('takes an endpoint that the app itself creates', async () => {
    const gateway = await gatewayWith((stack) => ({
      endpoint: 'private',
      vpcEndpointIds: [
        new Vpc(stack, 'Vpc').addInterfaceEndpoint('Api', { service: InterfaceVpcEndpointAwsService.APIGATEWAY })
          .vpcEndpointId,
      ],
    }));
    expect(Token.isUnresolved(gateway.api.url)).toBe(true);
  });

  it.each<[string, (stack: Stack) => Partial<ProjectGatewayProps>]>([
    ['endpoint=private needs vpcEndpointIds', () => ({ endpoint: 'private' })],
    ['vpcEndpointIds needs endpoint=private', () => ({ vpcEndpointIds })],
    ['vpcEndpointIds must be ids', () => ({ endpoint: 'private', vpcEndpointIds: ['vpc-0123456789abcdef0'] })],
    ['endpoint=private has no domain', (stack) => ({ endpoint: 'private', vpcEndpointIds, domain: domainOf(stack) })],
    ['endpoint=private has no canary', () => ({ endpoint: 'private', vpcEndpointIds, canary: 'reads' })],
  ])('is refused with %s', async (message, options) => {
    await expect(gatewayWith(options)).rejects.toThrow(message);
  });
});

describe('mutual TLS', () => {
  it('asks for client certificates at the domain, the only host of the API', async () => {
    const withCertificates = await synthesise('hosted', MUTUAL_TLS);
    withCertificates.hasResourceProperties('AWS::ApiGateway::DomainName', {
      MutualTlsAuthentication: {
        TruststoreUri: 's3://segue-truststore/clients.pem',
        TruststoreVersion: '3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY',
      },
      SecurityPolicy: 'TLS_1_2',
    });
    withCertificates.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
  });

  it.each<[string, Partial<ProjectGatewayProps>]>([
    ['API Gateway has no mutual TLS with tls=1.3', { tls: '1.3' }],
    ['The canary has no client certificate', { canary: 'reads' }],
  ])('is refused with %s', async (message, options) => {
    const mtls = (stack: Stack) => ({ bucket: Bucket.fromBucketName(stack, 'Truststore', 'truststore'), key: 'a.pem' });
    const gateway = gatewayWith((stack) => ({ domain: { ...domainOf(stack), mtls: mtls(stack) }, ...options }));
    await expect(gateway).rejects.toThrow(message);
  });
});

it.each(['https://projects.internal', 'https://10.0.3.7:8443', 'https://[fd00::7]'])(
  'allows the upstream service at %s, which only a VPC can reach',
  (url) => {
    expect(upstream({ url })).toMatchObject({ url });
    expect(readBaseUrl(url, { protocols: ['https'] })?.href).toBe(`${url}/`);
  },
);
