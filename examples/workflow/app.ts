import { App, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { hosted, ProjectGateway } from 'segue-cdk';
import { CreateAndDelete } from './create-and-delete.ts';
import { CreateAndWait } from './create-and-wait.ts';

const stack = new Stack(new App(), 'Publication');
const bucket = new Bucket(stack, 'Exports', { enforceSSL: true });
const projects = new ProjectGateway(stack, 'Projects', {
  service: hosted(),
  stage: 'development',
  projectsFrom: [bucket],
  waits: true,
});
new CreateAndDelete(stack, 'CreateAndDelete', {
  companyId: 'acme',
  createProject: projects.functionOf('createProjectTask'),
  deleteProject: projects.functionOf('deleteProjectTask'),
  bucket,
});
new CreateAndWait(stack, 'CreateAndWait', {
  companyId: 'acme',
  createProject: projects.functionOf('createProjectTask'),
  waitForProject: projects.functionOf('waitForProjectTask'),
  bucket,
});
