/** The package `segue-cdk` in this repository. The published package has these constructs compiled. */
export * from '../../infra/index.ts';
