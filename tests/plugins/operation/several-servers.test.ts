import t from '../../run/file-test.ts'
import { testThreeServers } from '../../support/three-servers.ts'

await testThreeServers(t)
