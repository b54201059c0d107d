import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Emulator, installed, run, start } from './emulator.ts';

/**
 * The version of DynamoDB Local. This emulator of Amazon supports expressions and transactions better than any other.
 */
const VERSION = '2.6.1';

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>segue</groupId>
  <artifactId>dynamodb-local</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.amazonaws</groupId>
      <artifactId>DynamoDBLocal</artifactId>
      <version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

/**
 * Starts DynamoDB Local with an empty store in memory. If it is not installed, it is installed first.
 * @throws an error if Java (17 or later) or Maven is missing, or the download fails
 */
export function startDynamoDbLocal(): Promise<Emulator> {
  const folder = installed(`dynamodb-local-${VERSION}`, (empty) => {
    writeFileSync(join(empty, 'pom.xml'), POM);
    run('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib', '-DincludeScope=runtime'], empty);
  });
  const program = join(import.meta.dirname, 'Loopback.java');
  return start(folder, 'java', ['-cp', join(folder, 'lib/*'), program], /^listening on (\d+)$/);
}
