import { App, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { hosted, ProjectGateway } from 'segue-cdk';
import { CreateAndDelete } from './create-and-delete.ts';

const stack = new Stack(new App(), 'Publication');
const bucket = new Bucket(stack, 'Exports', { enforceSSL: true });
const projects = new ProjectGateway(stack, 'Projects', {
  service: hosted(),
  stage: 'development',
  projectsFrom: [bucket],
});
new CreateAndDelete(stack, 'CreateAndDelete', {
  companyId: 'acme',
  createProject: projects.functionOf('createProjectTask'),
  deleteProject: projects.functionOf('deleteProjectTask'),
  bucket,
});
