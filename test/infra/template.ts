import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod/mini';

/** A pointer to another resource of the template, as its name without the hash at its end. */
const Pointer = z.pipe(
  z.union([
    z.pipe(
      z.strictObject({ Ref: z.string() }),
      z.transform(({ Ref }) => Ref),
    ),
    z.pipe(
      z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
      z.transform(({ 'Fn::GetAtt': [id, attribute] }) =>
        attribute === 'Arn' ? id : `${withoutHash(id)}.${attribute}`,
      ),
    ),
  ]),
  z.transform(withoutHash),
);

const Partition = z.strictObject({ Ref: z.literal('AWS::Partition') });
const BucketArn = z.string().check(z.regex(/^:s3:::[a-z0-9.-]+\/\*$/));

/** The words of an ARN whose account and region are the stack's. */
const Own = z.strictObject({ Ref: z.templateLiteral(['AWS::', z.string()]) });
const OF_SECRETS = ':secret:';

/** What a statement is about: a resource, all objects of a bucket, secrets by how their names begin, or whatever there is. */
const Target = z.union([
  Pointer,
  z.pipe(
    z.strictObject({
      'Fn::Join': z.tuple([
        z.literal(''),
        z.tuple([
          z.literal('arn:'),
          Own,
          z.literal(':secretsmanager:'),
          Own,
          z.literal(':'),
          Own,
          z.string().check(z.startsWith(`${OF_SECRETS}segue/`), z.endsWith('/webhooks/*')),
        ]),
      ]),
    }),
    z.transform(({ 'Fn::Join': [, [, , , , , , secrets]] }) => secrets.slice(OF_SECRETS.length)),
  ),
  z.pipe(
    z.strictObject({
      'Fn::Join': z.tuple([z.literal(''), z.tuple([Pointer, z.string().check(z.regex(/^\/(\w+\/)*\*$/))])]),
    }),
    z.transform(({ 'Fn::Join': [, [bucket, objects]] }) => `${bucket}${objects}`),
  ),
  // a bucket of another stack, by its name
  z.pipe(
    z.strictObject({ 'Fn::Join': z.tuple([z.literal(''), z.tuple([z.literal('arn:'), Partition, BucketArn])]) }),
    z.transform(({ 'Fn::Join': [, [, , arn]] }) => arn.slice(':s3:::'.length)),
  ),
  z.literal('*'),
]);

const Actions = z.union([z.string(), z.array(z.string())]);

const Statement = z.union([
  z.strictObject({
    Effect: z.literal('Allow'),
    Action: Actions,
    Resource: z.union([Target, z.array(Target)]),
  }),
  // a key of KMS is another stack's, and used through a service alone
  z.strictObject({
    Effect: z.literal('Allow'),
    Action: Actions,
    Resource: z.string().check(z.startsWith('arn:aws:kms:')),
    Condition: z.strictObject({ StringEquals: z.strictObject({ 'kms:ViaService': z.unknown() }) }),
  }),
]);

/** A role with inline policies alone: a managed policy, any other condition or resource given as text does not parse. */
const Role = z.strictObject({
  AssumeRolePolicyDocument: z.unknown(),
  Policies: z.optional(
    z.array(
      z.strictObject({
        PolicyName: z.string(),
        PolicyDocument: z.strictObject({ Version: z.string(), Statement: z.array(Statement) }),
      }),
    ),
  ),
});

const Lambda = z.object({
  Environment: z.optional(z.object({ Variables: z.record(z.string(), z.union([z.string(), Pointer])) })),
});

const Resource = z.object({ ParentId: Pointer, PathPart: z.string() });
const Invocation = z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) });

const IntegrationResponse = z.looseObject({ ResponseTemplates: z.record(z.string(), z.string()) });
const Method = z.looseObject({
  HttpMethod: z.string(),
  ResourceId: Pointer,
  AuthorizationType: z.string(),
  AuthorizerId: z.optional(Pointer),
  ApiKeyRequired: z.optional(z.boolean()),
  Integration: z.looseObject({
    Type: z.string(),
    Uri: z.optional(Invocation),
    IntegrationResponses: z.optional(z.array(IntegrationResponse)),
  }),
});
export type MethodProperties = z.infer<typeof Method>;

const GatewayResponse = z.object({
  ResponseType: z.string(),
  StatusCode: z.string(),
  ResponseParameters: z.record(z.string(), z.string()),
  ResponseTemplates: z.strictObject({ 'application/json': z.string() }),
});

/** The name of a function's construct, with which the names of its resources begin. */
export function constructOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The properties of every resource of a type, by the resource's name without its hash. */
export function propertiesOf(template: Template, type: string): Map<string, unknown> {
  const resources = Object.entries(template.findResources(type));
  return new Map(resources.map(([id, resource]) => [withoutHash(id), resource['Properties']]));
}

/** What a function is told, in the words of the template: a resource by its name. */
export function variablesOf(template: Template, name: string): Readonly<Record<string, string>> {
  const properties = propertiesOf(template, 'AWS::Lambda::Function').get(`${constructOf(name)}Lambda`);
  return Lambda.parse(properties).Environment?.Variables ?? {};
}

/** What a role allows, as sorted lines of `action on resource`. */
export function allowedBy(role: unknown): string[] {
  // a role whose policies are resources of their own has none here
  const statements = Role.parse(role).Policies?.flatMap(({ PolicyDocument }) => PolicyDocument.Statement) ?? [];
  return statements
    .flatMap(({ Action, Resource }) =>
      [Action].flat().flatMap((action) => [Resource].flat().map((resource) => `${action} on ${resource}`)),
    )
    .sort();
}

/** The API's methods by `METHOD /path`. */
export function methodsOf(template: Template): Map<string, MethodProperties> {
  const resources = propertiesOf(template, 'AWS::ApiGateway::Resource');
  const pathOf = (name: string): string => {
    if (!resources.has(name)) return '';
    const { ParentId, PathPart } = Resource.parse(resources.get(name));
    return `${pathOf(ParentId)}/${PathPart}`;
  };
  const methods = [...propertiesOf(template, 'AWS::ApiGateway::Method').values()].map((value) => Method.parse(value));
  return new Map(methods.map((method) => [`${method.HttpMethod} ${pathOf(method.ResourceId)}`, method]));
}

/** What API Gateway answers by itself, by its own response type. */
export function gatewayResponsesOf(template: Template): Map<string, z.infer<typeof GatewayResponse>> {
  const responses = [...propertiesOf(template, 'AWS::ApiGateway::GatewayResponse').values()];
  return new Map(responses.map((value) => GatewayResponse.parse(value)).map((parsed) => [parsed.ResponseType, parsed]));
}

/** The function that a method invokes. */
export function invokedBy({ Integration }: MethodProperties): string | undefined {
  const parts = Integration.Uri?.['Fn::Join'][1] ?? [];
  const [invoked] = parts.flatMap((part) => {
    const pointer = Pointer.safeParse(part);
    return pointer.success && pointer.data.endsWith('Lambda') ? [pointer.data] : [];
  });
  return invoked;
}

function withoutHash(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '');
}
