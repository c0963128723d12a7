import type { ModelRequest } from './fixture-upstream.ts'
import type { StreamFixture } from './stream-fixtures.ts'

/** Returns everything that the vendor would refuse in a request. */
export function findRuleFaults(_request: ModelRequest, _fixture: StreamFixture): string[] {
  return []
}
